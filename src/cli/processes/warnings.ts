import type { Posthorn } from '../../posthorn.ts'
import type { Terminal } from '../command.ts'

/** One line each, of ids and reasons only: payloads and URLs do not belong into a log. */
export function sayWarnings(posthorn: Posthorn, { say }: Terminal): void {
  posthorn.on('warning', ({ code, message }) => say(`warning: ${code}: ${oneLine(message)}`))
  posthorn.on('lease.lost', ({ webhook_delivery_id: delivery, worker_id: worker, code, store_code: storeCode }) =>
    say(`warning: lease.lost: delivery ${delivery} worker ${worker} code ${code}${storeCode === null ? '' : `: ${storeCode}`}`))
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
