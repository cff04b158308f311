export const mutant = {
  says: '`posthorn serve` writes no line of what its worker warns of.',
  joins: 'lost lease × log',
  file: 'src/cli/processes/serve.ts',
  find: '    sayWarnings(posthorn, terminal)\n',
  replace: '    void sayWarnings\n',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
