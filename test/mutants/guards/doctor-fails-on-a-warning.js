export const mutant = {
  says: '`posthorn doctor` ends with 1 although nothing fails.',
  joins: null,
  file: 'src/cli/commands/inspect/doctor.ts',
  find: "level !== 'fail'",
  replace: "level === 'ok'",
  caughtBy: { file: 'test/cli/doctor.test.ts', title: 'what works but should not stay so' },
}
