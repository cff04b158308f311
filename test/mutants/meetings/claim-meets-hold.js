export const mutant = {
  says: 'What was claimed while a hold began, or a person paused the endpoint, is sent all the same.',
  joins: 'claim × hold',
  file: 'src/engine/attempt/attempts.ts',
  find: 'else if (!begun.probe && this.#parts.endpoints.isClosed(record))',
  replace:
    'else if (begun.probe && this.#parts.endpoints.isClosed(record) && claim.tookOver === null && begun.isSuspect)',
  caughtBy: { file: 'test/engine/schedule.test.ts', title: 'a row that is claimed while its endpoint is paused' },
}
