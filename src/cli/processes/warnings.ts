import type { EventOf } from '../../core/ports/events.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { Terminal } from '../command.ts'

/** One line each, of ids and reasons only: payloads and URLs do not belong in a log. */
export function sayWarnings(posthorn: Posthorn, { say }: Terminal): void {
  posthorn.on('warning', ({ code, message }) => say(`warning: ${code}: ${oneLine(message)}`))
  posthorn.on('lease.lost', (event) => say(`warning: lease.lost: ${lostLease(event)}`))
  posthorn.on('alarm.raised', ({ severity, alarm_id, message }) =>
    say(`${severity}: alarm.raised: ${alarm_id}: ${message}`),
  )
  posthorn.on('alarm.resolved', ({ alarm_id, message }) => say(`info: alarm.resolved: ${alarm_id}: ${message}`))
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

function lostLease({
  webhook_delivery_id: delivery,
  worker_id: worker,
  code,
  store_code: storeCode,
}: EventOf<'lease.lost'>): string {
  return `delivery ${delivery} worker ${worker} code ${code}${storeCode === null ? '' : `: ${storeCode}`}`
}
