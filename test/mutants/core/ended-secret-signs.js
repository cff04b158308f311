export const mutant = {
  says: 'A secret that has ended still signs.',
  joins: 'signature × expiry',
  file: 'src/core/signing/signature.ts',
  find: 'expiresAt === null || expiresAt > now',
  replace: 'expiresAt === null || expiresAt > 0',
  caughtBy: { file: 'test/core/signature.test.ts', title: 'leaves out a secret ' },
}
