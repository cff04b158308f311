export const mutant = {
  says: 'A command starts although the environment says to check no certificate.',
  joins: 'environment × start',
  file: 'src/config/environment.ts',
  find: "if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return",
  replace: "if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== 'off') return",
  caughtBy: {
    file: 'test/security/tls.test.ts',
    title: 'posthorn %s does not start where no certificate would be checked',
    row: 'doctor',
  },
}
