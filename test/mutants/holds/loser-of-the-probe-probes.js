export const mutant = {
  says: 'A worker that finds a hold over at the same moment as another probes, too.',
  joins: 'probe × workers',
  file: 'src/engine/claim/plan.ts',
  find: 'if (!won) lost.add(one)',
  replace: 'if (!won && !one.probe) lost.add(one)',
  caughtBy: { file: 'test/engine/endpoints-health.test.ts', title: 'lets one of two probe' },
}
