export const mutant = {
  says: 'A paused endpoint collects nothing, so what is sent meanwhile is lost to it.',
  joins: 'pause × matching',
  file: 'src/core/endpoint/subscribers.ts',
  find: "return endpoint.status === 'active' || endpoint.status === 'paused'",
  replace: "return endpoint.status === 'active'",
  caughtBy: { file: 'test/core/message.test.ts', title: 'an endpoint that is ' },
}
