export const mutant = {
  says: 'A renewal that errs is asked for until the lease has run out.',
  joins: 'heartbeat × failing store',
  file: 'src/core/delivery/lease.ts',
  find: 'return renewedAt + leaseMs - Math.floor(leaseMs / 3)',
  replace: 'return renewedAt + leaseMs',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
