export const mutant = {
  says: 'The reserve for catching up is refilled while its tenant still has requests waiting.',
  joins: 'group commit × tenants',
  file: 'src/stores/shared/batching/tenant-places.ts',
  find: 'if (this.#waiting.has(tenant)) continue',
  replace: 'if (tenant === undefined) continue',
  caughtBy: {
    file: 'test/stores/tenant-places.test.ts',
    title: 'a reserve is refilled by one place with every statement, while nothing of its tenant waits',
  },
}
