export const mutant = {
  says: 'The authentication of an endpoint is stored as it was given.',
  joins: 'authentication × vault',
  file: 'src/stores/shared/rows/sealed-columns.ts',
  find: "  { table: 'endpoints', column: 'authentication', endpoint: 'id', secret: null, blank: null },\n",
  replace: '',
  caughtBy: {
    file: 'test/security/endpoint-authentication.test.ts',
    title: 'the secrets of an authentication are read from the database file',
  },
}
