import { flag } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** Whether endpoints get trace headers; tracing itself depends on the OpenTelemetry SDK that the process has loaded. */
export const traceSettings = {
  sendTraceparent: {
    env: ['POSTHORN_SEND_TRACEPARENT'],
    default: false,
    unit: '',
    sentence: 'Sends endpoints the traceparent header of each attempt, if attempts are traced.',
    read: flag(),
  },
} satisfies Record<string, Setting<unknown>>
