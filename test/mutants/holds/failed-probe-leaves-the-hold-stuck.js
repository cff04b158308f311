export const mutant = {
  says: 'The hold that gave a probe its right outlasts the failure of the probe.',
  joins: 'probe × hold',
  file: 'src/core/endpoint/health.ts',
  find: 'evidence.probe ? { ...health, heldUntil: null } : health',
  replace: 'health',
  caughtBy: { file: 'test/core/health.test.ts', title: 'holds from the failure of a probe on' },
}
