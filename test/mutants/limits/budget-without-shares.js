export const mutant = {
  says: 'One application takes everything that is free.',
  joins: 'budget × applications',
  file: 'src/core/limits/shared-limit.ts',
  find: 'return Math.max(Math.floor((timesFree * free - held) / (timesFree + 1)), held === 0 ? 1 : 0)',
  replace: 'return free',
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'E10 with one endpoint takes four fifths' },
}
