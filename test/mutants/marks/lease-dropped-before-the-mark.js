export const mutant = {
  says: 'The lease of an attempt is no longer kept while its mark is being stored.',
  joins: 'lease × mark',
  file: 'src/engine/attempt/attempts.ts',
  find: 'const marked = await this.#marks.store(settled)',
  replace: 'this.#parts.leases.drop(finished.claim.delivery.id)\n    const marked = await this.#marks.store(settled)',
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'an attempt keeps its lease for as long as the store' },
}
