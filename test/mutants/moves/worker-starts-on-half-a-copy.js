export const mutant = {
  says: 'A worker that opened the target before the copy began starts on half of it.',
  joins: 'copy × attach',
  file: 'src/stores/postgres/index.ts',
  find: '  await refuseHalfCopied(tx, schema)\n',
  replace: '',
  caughtBy: {
    file: 'test/cli/move/postgres-copy.test.ts',
    title: 'a worker that opened the target before the copy began does not start on it',
    postgres: true,
  },
}
