export const mutant = {
  says: 'Each session of a key has a share of its own.',
  joins: 'requests × sessions',
  file: 'src/server/request/caller.ts',
  find: 'return sessionOf ?? id',
  replace: 'return id',
  caughtBy: {
    file: 'test/security/api-room.test.ts',
    title: 'sessions of one portal key have one share, not one each',
  },
}
