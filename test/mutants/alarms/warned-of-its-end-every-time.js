export const mutant = {
  says: 'The last warning about an endpoint comes with every failure of its last day.',
  joins: 'warning × health',
  file: 'src/core/endpoint/health.ts',
  find: 'failingMs >= finalNoticeAfterMs && health.warnings < mostWarnings',
  replace: 'failingMs >= finalNoticeAfterMs',
  caughtBy: { file: 'test/core/health.test.ts', title: 'each of the two warnings is given once' },
}
