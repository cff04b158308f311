export const mutant = {
  says: 'A tenant reads where a name leads inside.',
  joins: 'guard × what tenants read',
  file: 'src/server/request/shown-json.ts',
  find: 'applicationId !== null && details.some((each) => text.includes(each)) ? [asTenant]',
  replace: 'false ? [asTenant]',
  caughtBy: {
    file: 'test/security/responses.test.ts',
    title: 'reads the same to a key of kind ',
  },
}
