export const mutant = {
  says: 'A wait that an endpoint asks for replaces a longer one.',
  joins: 'hold × Retry-After',
  file: 'src/core/endpoint/health.ts',
  find: 'if (heldMs === 0 || (health.heldUntil !== null && health.heldUntil >= heldUntil)) return health',
  replace: 'if (heldMs === 0) return health',
  caughtBy: {
    file: 'test/core/health.test.ts',
    title: 'begins a generation and a ramp if it moves the end of the hold',
  },
}
