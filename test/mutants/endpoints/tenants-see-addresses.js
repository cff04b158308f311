export const mutant = {
  says: 'A tenant reads where a name leads inside.',
  joins: 'guard × what tenants read',
  file: 'src/server/request/tenant-view.ts',
  find: 'applicationId === null || !hasDetails ? text',
  replace: 'true ? text',
  caughtBy: {
    file: 'test/security/responses.test.ts',
    title: 'reads the same to a key of kind ',
  },
}
