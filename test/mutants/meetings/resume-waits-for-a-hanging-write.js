export const mutant = {
  says: 'While a write of its health hangs, a worker does not see that another has put the endpoint on hold, or ended that.',
  joins: 'ramp × hanging write',
  file: 'src/engine/endpoints/endpoints.ts',
  find: 'else if (stored.generation > record.health.generation) record.health',
  replace: 'else if (stored.generation < 0) record.health',
  caughtBy: {
    file: 'test/simulation/scenarios.test.ts',
    title: 'the world of %s keeps every promise',
    row: 'resume-meets-hanging-write.json',
  },
}
