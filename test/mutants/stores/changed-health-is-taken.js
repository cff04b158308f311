export const mutant = {
  says: 'SQLite stores a message that relies on a health that has changed.',
  joins: 'fast path × hold',
  file: 'src/stores/sqlite/queue/enqueue.ts',
  find: 'if (version !== envelope.endpointsVersion || hasChanged(connection, envelope)) return stale',
  replace: 'if (version !== envelope.endpointsVersion) return stale',
  caughtBy: {
    file: 'test/stores/sqlite.test.ts',
    title: 'an envelope is stale if a health that it relies on has changed',
  },
}
