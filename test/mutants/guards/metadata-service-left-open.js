export const mutant = {
  says: 'The address list has lost a block: link local, where clouds keep the credentials of a machine.',
  joins: 'address list × look-up',
  file: 'src/transport/guard.ts',
  find: "  '169.254.0.0/16',\n",
  replace: '',
  caughtBy: { file: 'test/security/ssrf.test.ts', title: 'address list: ' },
}
