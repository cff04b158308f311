import { expect, test } from 'vitest'
import { formatTraceContext, parseTraceContext, traceHeaders } from '../../src/tracing/trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test.each([
  [`00-${traceId}-${spanId}-01`, { traceparent: `00-${traceId}-${spanId}-01` }],
  [`00-${traceId}-${spanId}-00`, { traceparent: `00-${traceId}-${spanId}-00` }],
  [
    `00-${traceId}-${spanId}-01 vendor=1,other=2`,
    { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=1,other=2' },
  ],
])('%s is read, and written as it was', (text, headers) => {
  const context = parseTraceContext(text)
  expect(context).toMatchObject({ traceId, spanId, isRemote: true })
  expect(context === null ? null : formatTraceContext(context)).toBe(text)
  expect(context === null ? null : traceHeaders(context)).toEqual(headers)
})

test('a later version is read as the first, and flags that nobody knows are left out', () => {
  const context = parseTraceContext(`01-${traceId}-${spanId}-ff-more`)
  expect(context === null ? null : formatTraceContext(context)).toBe(`00-${traceId}-${spanId}-01`)
})

test.each([
  null,
  '',
  'nonsense',
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}`,
])('%s is no context', (text) => {
  expect(parseTraceContext(text)).toBeNull()
})
