export const mutant = {
  says: 'Twenty names that never resolve use up the look-ups of all.',
  joins: 'look-up × thread pool',
  file: 'src/transport/lookup/shared-lookups.ts',
  find: 'question.cancel = this.ask(',
  replace:
    "question.cancel = this.questions.size > 20 ? (queueMicrotask(() => this.settle(hostname, question, new Error('busy'), [], 0)), nothingToCancel) : this.ask(",
  caughtBy: { file: 'test/transport/lookup.test.ts', title: 'E8 twenty names that never resolve' },
}
