export const mutant = {
  says: 'Connections are told apart by their origin alone, so that one tenant sends under the certificate of another.',
  joins: 'connections kept × certificates of endpoints',
  file: 'src/transport/http.ts',
  find: 'const key = identity === null ? name : `${name} ${identity.id}`',
  replace: 'const key = name',
  caughtBy: {
    file: 'test/transport/client-certificate.test.ts',
    title: 'has connections of its own: nobody rides on those of another, nor resumes a session of it',
  },
}
