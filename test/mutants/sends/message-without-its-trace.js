export const mutant = {
  says: 'A claim leaves out the trace that its message was sent in.',
  joins: 'trace × retry',
  file: 'src/stores/shared/rows/delivery-rows.ts',
  find: "textOrNull(row, 'trace_context')",
  replace: 'null',
  caughtBy: { file: 'test/tracing/traces.test.ts', title: 'a send is a span' },
}
