import { context, trace } from '@opentelemetry/api'
import type { Span } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { onTestFinished } from 'vitest'

/** What an SDK has been given of spans that have ended. */
export interface Spans {
  named(name: string | RegExp): ReadableSpan[]
  /** Runs work within a span of the caller's own. */
  within<Result>(work: (span: Span) => Promise<Result>): Promise<Result>
}

/** Registers an SDK as a program would, until the test has ended. */
export function recordSpans(): Spans {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  onTestFinished(async () => {
    trace.disable()
    context.disable()
    await provider.shutdown()
  })
  return {
    named: (name) =>
      exporter
        .getFinishedSpans()
        .filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name))),
    within: (work) =>
      provider.getTracer('the caller').startActiveSpan('the caller', async (span) => {
        try {
          return await work(span)
        } finally {
          span.end()
        }
      }),
  }
}
