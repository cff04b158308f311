export const mutant = {
  says: 'The pause after a crash does not vary, so innocents stay in step with the poison.',
  joins: 'crash × chance',
  file: 'src/core/delivery/delivery.ts',
  find: '(0.5 + random())',
  replace: '(random() < 0 ? 0 : 1)',
  caughtBy: { file: 'test/core/delivery.test.ts', title: 'after crash ' },
}
