export const mutant = {
  says: 'A link replaces the session of a browser unasked.',
  joins: 'sessions × links',
  file: 'src/server/routes/operator/session.ts',
  find: 'body.replace !== true) return taken',
  replace: 'body.replace === false) return taken',
  caughtBy: {
    file: 'test/security/defences.test.ts',
    title: 'a link of a stranger does not sign a reader in as somebody else unnoticed',
  },
}
