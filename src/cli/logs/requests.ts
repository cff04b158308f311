import { PosthornError } from '../../core/errors.ts'
import { incidentLine } from '../../server/errors/error-response.ts'
import type { HandlerOptions } from '../../server/handler.ts'
import { oneLine } from './events.ts'
import type { Log } from './log.ts'

/** Logs what the HTTP API reports: each request for debugging, and errors that originate here. */
export function requestLog(log: Log): Pick<HandlerOptions, 'warn' | 'report' | 'answered'> {
  return {
    warn: (sentence) => log.write('warn', 'api.ignored', () => ({ msg: `ignored: ${oneLine(sentence)}` })),
    report: (incident) =>
      log.write('error', 'api.error', () => ({
        operation: incident.operation,
        code: incident.error instanceof PosthornError ? incident.error.code : null,
        msg: oneLine(incidentLine(incident)),
      })),
    ...(log.isOn('debug') && {
      answered: ({ operation, status, tookMs }) =>
        log.write('debug', 'api.request', () => ({ operation, status, duration_ms: tookMs })),
    }),
  }
}
