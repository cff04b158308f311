export const mutant = {
  says: 'Tokens of a rate limit that found nothing to send are not given back.',
  joins: 'rate limit × claim',
  file: 'src/engine/claim/rate-limits.ts',
  find: 'if (tokens.length > 0) await',
  replace: 'if (tokens.length < 0) await',
  caughtBy: { file: 'test/engine/rate-limits.test.ts', title: 'loses nothing to claims' },
}
