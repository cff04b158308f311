export const mutant = {
  says: '`posthorn worker` writes no line of what it emits.',
  joins: 'lost lease × log',
  file: 'src/cli/processes/worker.ts',
  find: '  logEvents(posthorn, log)\n',
  replace: '  void logEvents\n',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
