export const mutant = {
  says: 'A probe holds nobody back, so each worker sends one.',
  joins: 'probe × workers',
  file: 'src/core/endpoint/health.ts',
  find: 'heldUntil: now + timeoutMs + probeMarginMs',
  replace: 'heldUntil: now',
  caughtBy: { file: 'test/engine/endpoints-health.test.ts', title: 'lets one of two probe' },
}
