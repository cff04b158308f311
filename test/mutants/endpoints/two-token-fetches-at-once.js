export const mutant = {
  says: 'Everybody who needs a token fetches one.',
  joins: 'tokens × attempts at once',
  file: 'src/transport/oauth2/tokens.ts',
  find: 'this.fetches.get(key) ?? this.begin',
  replace: 'this.begin',
  caughtBy: {
    file: 'test/transport/oauth2.test.ts',
    title: 'is fetched by one for all who want it, and not shared between endpoints',
  },
}
