export const mutant = {
  says: 'What the log leaves out in a storm is not counted.',
  joins: 'many failures × log',
  file: 'src/cli/logs/line-limit.ts',
  find: 'this.#say({ level, event, count })',
  replace: 'void [level, event, count]',
  caughtBy: { file: 'test/cli/logs.test.ts', title: 'of one event only so many lines' },
}
