export const mutant = {
  says: 'A process sends one suspect at a time, of all endpoints together.',
  joins: 'suspects × endpoints',
  file: 'src/engine/claim/schedule.ts',
  find: '- record.suspectsLeased,',
  replace: '- [...this.#parts.endpoints.all()].reduce((sum, { suspectsLeased }) => sum + suspectsLeased, 0),',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'E2 of another endpoint keeps nobody waiting' },
  simulated: { seeds: 2_000, scenario: 'e02-suspects-meet-endpoints.json' },
}
