export const mutant = {
  says: 'An endpoint that has caught up stays on the slow way for as long as something is stored while it is asked for more.',
  joins: 'fast path × claim',
  file: 'src/engine/claim/schedule.ts',
  find: "if (isEmpty && lane === 'fresh') record.isBehind = false",
  replace: "if (isEmpty && lane === 'fresh') record.isBehind = record.due.fresh",
  caughtBy: { file: 'test/engine/outbox.test.ts', title: 'is taken again as soon as a claim' },
}
