export const mutant = {
  says: 'The authentication of an endpoint is stored as it was given.',
  joins: 'authentication × vault',
  file: 'src/stores/shared/directory/endpoints.ts',
  find: 'vault.seal(id, authenticationId, JSON.stringify(authentication))',
  replace: 'JSON.stringify(authentication)',
  caughtBy: {
    file: 'test/security/endpoint-authentication.test.ts',
    title: 'the secrets of an authentication are read from the database file',
  },
}
