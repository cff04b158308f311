export const mutant = {
  says: 'A proxy that is away opens the breakers of all endpoints.',
  joins: 'proxy × breaker',
  file: 'src/core/endpoint/health.ts',
  find: '  if (isOurOwnFault(evidence.outcome)) return unchanged\n',
  replace: '',
  caughtBy: {
    file: 'test/core/health.test.ts',
    title: 'teaches nothing about an endpoint: it opens no breaker, and closes none',
  },
}
