export const mutant = {
  says: 'Two changes of an application at once both take the last place of its quota.',
  joins: 'quota × quota',
  file: 'src/api/endpoint/quotas.ts',
  find: 'await before?.catch(() => undefined)',
  replace: 'before?.catch(() => undefined)',
  caughtBy: { file: 'test/security/quotas.test.ts', title: 'of endpoints, also if it asks for many at once' },
}
