export const mutant = {
  says: 'What is known of an endpoint is read once, and never again.',
  joins: 'fast path × hold',
  file: 'src/engine/endpoints/endpoints.ts',
  find: 'return record.readAt > now - freshMs',
  replace: 'return record.readAt > 0',
  caughtBy: { file: 'test/engine/generations.test.ts', title: 'E21 that one worker was asked for' },
  simulated: { seeds: 2_000, scenario: 'e21-fast-path-meets-hold.json' },
}
