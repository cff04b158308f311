export const mutant = {
  says: 'A row under a live lease counts as due.',
  joins: 'due × lease',
  file: 'src/core/delivery/delivery.ts',
  find: ' && !isLeased(delivery, now)',
  replace: '',
  caughtBy: { file: 'test/core/delivery.test.ts', title: 'due if ' },
}
