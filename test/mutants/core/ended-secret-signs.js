export const mutant = {
  says: 'A secret that has ended still signs.',
  joins: 'signature × expiry',
  file: 'src/core/signature.ts',
  find: 'secret.expiresAt === null || secret.expiresAt > input.now',
  replace: 'secret.expiresAt === null || secret.expiresAt > 0',
  caughtBy: { file: 'test/core/signature.test.ts', title: 'leaves out a secret ' },
}
