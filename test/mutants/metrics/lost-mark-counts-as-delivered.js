export const mutant = {
  says: 'A delivery whose mark was refused is counted as delivered.',
  joins: 'count × mark',
  file: 'src/metrics/engine-meter.ts',
  find: "if (mark.status !== 'delivered' || marked === 'lost') return",
  replace: "if (mark.status !== 'delivered') return",
  caughtBy: { file: 'test/metrics/counters.test.ts', title: 'a mark that came too late is counted as refused' },
}
