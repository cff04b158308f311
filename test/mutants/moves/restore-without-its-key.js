export const mutant = {
  says: 'A restore does not ask whether a key opens the secrets.',
  joins: 'restore × secrets',
  file: 'src/stores/move/restore.ts',
  find: '    await checkKey([backupKey, keyFile], secretsKey, newestSecret)\n',
  replace: '',
  caughtBy: { file: 'test/cli/move/backup.test.ts', title: 'restore refuses a backup whose key is missing' },
}
