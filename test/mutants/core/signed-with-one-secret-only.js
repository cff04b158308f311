export const mutant = {
  says: 'During a rotation only the newest secret signs.',
  joins: 'signature × rotation',
  file: 'src/core/signing/signature.ts',
  find: '.map((secret) => signature(',
  replace: '.slice(0, 1).map((secret) => signature(',
  caughtBy: { file: 'test/core/signature.test.ts', title: 'signs once per live secret' },
}
