export const mutant = {
  says: 'An endpoint that asks for a second is sent to after a second, although its policy says a minute.',
  joins: 'Retry-After × retry policy',
  file: 'src/core/delivery/delivery.ts',
  find: 'const waitMs = Math.max(delayAfter(policy, attemptCount, random), askedMs)',
  replace: 'const waitMs = askedMs > 0 ? askedMs : delayAfter(policy, attemptCount, random)',
  caughtBy: { file: 'test/core/delivery.test.ts', title: 'Retry-After ' },
}
