export const mutant = {
  says: 'What arrives on an idle connection is ignored.',
  joins: 'connections kept × answers',
  file: 'src/transport/connection.ts',
  find: 'if (this.request === null) this.drop()\n      else',
  replace: 'if (this.request !== null)',
  caughtBy: { file: 'test/security/responses.test.ts', title: 'close it: ' },
}
