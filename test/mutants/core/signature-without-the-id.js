export const mutant = {
  says: 'The signature leaves out the id of the message, so one message passes for another.',
  joins: null,
  file: 'src/core/signature.ts',
  find: 'const head = `${messageId}.${timestamp}.`',
  replace: 'const head = `.${timestamp}.`',
  caughtBy: { file: 'test/acceptance/uc-0268-retry.test.ts', title: 'UC-0268-sign' },
}
