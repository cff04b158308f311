export const mutant = {
  says: 'Slow paths use up the connections of their host, and the others on it fail unsent.',
  joins: 'deadline × shared host',
  file: 'src/transport/origin.ts',
  find: 'if (connection === undefined) return',
  replace:
    "if (connection === undefined && this.connections.size >= 200) return request.end({ kind: 'connect', reason: 'busy' })\n    if (connection === undefined) return",
  caughtBy: { file: 'test/transport/http.test.ts', title: 'E9 a slow path does not delay another' },
}
