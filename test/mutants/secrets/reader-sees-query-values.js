export const mutant = {
  says: 'Whoever only reads sees query values of URLs.',
  joins: 'reading × secrets',
  file: 'src/server/request/shown-json.ts',
  find: "access === 'read' && text.includes('?') ? [withoutQueryValues]",
  replace: 'false ? [withoutQueryValues]',
  caughtBy: { file: 'test/server/routes/endpoints.test.ts', title: 'show query values only to whoever may write' },
}
