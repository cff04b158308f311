export const mutant = {
  says: 'The tokens of each rate limit are asked for by themselves.',
  joins: 'rate limit × neighbours',
  file: 'src/engine/claim/rate-limits.ts',
  find: 'const grants = await queue.takeTokens({ now, asks })',
  replace:
    'const grants: number[] = []\n    for (const ask of asks) grants.push(...(await queue.takeTokens({ now, asks: [ask] })))',
  caughtBy: { file: 'test/engine/rate-limits.test.ts', title: 'E11 the tokens of 50 limited endpoints' },
}
