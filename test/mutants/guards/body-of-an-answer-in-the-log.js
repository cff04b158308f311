export const mutant = {
  says: 'The log repeats what an endpoint answered.',
  joins: 'failed attempt × log',
  file: 'src/cli/logs/events.ts',
  find: '/^HTTP \\d+/.exec(detail)?.[0] ?? ',
  replace: '',
  caughtBy: { file: 'test/cli/log-process.test.ts', title: 'fifty secrets and bodies' },
}
