export const mutant = {
  says: 'A process that has just begun sends suspects.',
  joins: 'suspects × crash loop',
  file: 'src/engine/claim/schedule.ts',
  find: 'this.#startedAt === null || now - this.#startedAt <= leaseMs',
  replace: 'this.#startedAt === null || now - this.#startedAt > leaseMs * 1e6',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'waits until its worker has outlived a lease' },
}
