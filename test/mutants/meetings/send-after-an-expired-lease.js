export const mutant = {
  says: 'A worker that wakes up sends what it has leased before it slept.',
  joins: 'expired lease × woken worker',
  file: 'src/engine/attempt/attempts.ts',
  find: "!== 'deleted' && this.#parts.leases.isLive(delivery.id)",
  replace: "!== 'deleted'",
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'E12 sends nothing of a claim whose answer' },
  simulated: { seeds: 2_000, scenario: 'e12-expired-lease-meets-woken-worker.json' },
}
