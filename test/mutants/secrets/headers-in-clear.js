export const mutant = {
  says: 'Headers of endpoints are stored as they are.',
  joins: 'secrets × storage',
  file: 'src/stores/shared/rows/sealed-columns.ts',
  find: 'value === null || value === sealed.blank ? value : vault.seal(',
  replace: "value !== '' ? value : vault.seal(",
  caughtBy: {
    file: 'test/security/defences.test.ts',
    title: 'secrets at rest: whoever reads the database finds neither secrets nor headers of endpoints',
  },
}
