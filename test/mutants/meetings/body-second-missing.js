export const mutant = {
  says: 'An answer whose body drips holds its place until the deadline.',
  joins: 'deadline × dripping body',
  file: 'src/transport/http-request.ts',
  find: 'this.deadlines.shorten(this, bodyBudgetMs)',
  replace: '',
  caughtBy: { file: 'test/transport/http.test.ts', title: 'E10 a dripping ' },
}
