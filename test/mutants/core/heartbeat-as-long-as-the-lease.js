export const mutant = {
  says: 'Leases are renewed when they have run out.',
  joins: 'heartbeat × lease',
  file: 'src/core/delivery/lease.ts',
  find: 'Math.max(Math.floor(leaseMs / 3), shortestHeartbeatMs)',
  replace: 'Math.max(leaseMs, shortestHeartbeatMs)',
  caughtBy: { file: 'test/acceptance/lease-heartbeat.test.ts', title: 'LH-interval' },
}
