export const mutant = {
  says: '`posthorn serve` writes no line of what its worker emits.',
  joins: 'lost lease × log',
  file: 'src/cli/processes/serve.ts',
  find: '    logEvents(posthorn, log)\n',
  replace: '    void logEvents\n',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
