export const mutant = {
  says: 'A delivery leaves at once on a health that was read long ago, and the store is not asked whether it has changed.',
  joins: 'fast path × hold',
  file: 'src/engine/send/outbox.ts',
  find: 'if (!endpoints.isFresh(record, now)) reliesOn.push({ endpointId: endpoint.id, version: record.health.version })',
  replace: '',
  caughtBy: { file: 'test/engine/generations.test.ts', title: 'E21 that one worker was asked for' },
  simulated: { seeds: 2_000, scenario: 'old-health-meets-fast-path.json' },
}
