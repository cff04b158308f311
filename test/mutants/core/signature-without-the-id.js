export const mutant = {
  says: 'The signature leaves out the id of the message, so one message passes for another.',
  joins: null,
  file: 'src/core/signing/signature.ts',
  find: 'const head = `${messageId}.${timestamp}.`',
  replace: 'const head = `.${timestamp}.`',
  caughtBy: { file: 'test/core/signature.test.ts', title: 'is the HMAC-SHA256 of id.timestamp.body' },
}
