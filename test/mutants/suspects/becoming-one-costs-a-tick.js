export const mutant = {
  says: 'A delivery that becomes a suspect at its takeover uses up the step of a ramp, though nothing was sent.',
  joins: 'suspects × ramp',
  file: 'src/engine/attempt/attempts.ts',
  find: 'this.#parts.schedule.reconsider(begun.record)',
  replace: '',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'the second time costs no other delivery its place' },
}
