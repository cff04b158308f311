export const mutant = {
  says: 'An endpoint with a header traceparent of its own gets ours beside it.',
  joins: 'trace × header of an endpoint',
  file: 'src/engine/attempt/request.ts',
  find: 'return isOwn ? request : {',
  replace: 'return isOwn && request.url === "" ? request : {',
  caughtBy: { file: 'test/tracing/traces.test.ts', title: 'endpoints get the traceparent' },
}
