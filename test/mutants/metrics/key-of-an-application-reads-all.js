export const mutant = {
  says: 'The key of one application may read the metrics of all.',
  joins: null,
  file: 'src/server/http/metrics.ts',
  find: "allows(caller, { applicationId: null, access: 'read' })",
  replace: "allows(caller, { applicationId: caller.applicationId, access: 'read' })",
  caughtBy: { file: 'test/cli/metrics.test.ts', title: '/metrics takes a key that may read everything' },
}
