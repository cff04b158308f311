export const mutant = {
  says: 'An endpoint that a person has just enabled is disabled for what was before.',
  joins: 'disable × enable',
  file: 'src/testing/memory/queue/queue.ts',
  find: '  if ((state.health.get(endpointId)?.generation ?? 0) !== generation) return false',
  replace: '',
  caughtBy: { file: 'test/engine/generations.test.ts', title: 'a person who enables an endpoint is not overruled' },
}
