export const mutant = {
  says: 'What is being sent can be requeued, and is sent twice.',
  joins: 'requeue × lease',
  file: 'src/stores/shared/directory/operations.ts',
  find: '\n  and (lease_until is null or lease_until <= ${now})',
  replace: '',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'what was delivered, or is under a live lease' },
}
