export const mutant = {
  says: 'The failures of operational webhooks are summed up in another one.',
  joins: 'operational webhook × failed message',
  file: 'src/engine/upkeep/attempt-notices.ts',
  find: 'if (operations.isOwn(endpoints.get(event.webhook_id)?.endpoint.applicationId)) return',
  replace: '',
  caughtBy: { file: 'test/engine/alarms.test.ts', title: 'an operational endpoint that fails' },
}
