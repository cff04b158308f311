export const mutant = {
  says: 'A cycle waits for what it has sent, so one hung endpoint keeps all retries waiting.',
  joins: 'cycle × slow endpoint',
  file: 'src/engine/claim/cycle.ts',
  find: 'await claimer.cycle()\n',
  replace:
    'await claimer.cycle()\n      for (const record of this.#parts.endpoints.all()) while (record.onWire > 0) await new Promise((resolve) => clock.after(10, resolve))\n',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'E2 of another endpoint keeps nobody waiting' },
}
