import { statuses } from '../../../core/delivery/delivery.ts'
import { PosthornError } from '../../../core/errors.ts'
import { exit } from '../../command.ts'
import type { CommandGroup } from '../../command.ts'
import { filterOptions, filterQuery, pageOptions, pageQuery } from '../../http-api/filters.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import type { ApiCall } from '../../http-api/api-command.ts'
import type { AttemptResponse, DeliveryResponse, DeliveryDetail, Listed } from '../../http-api/responses.ts'
import { pathSegment } from '../../http-api/api-client.ts'
import { columns, pairs } from '../../view/columns.ts'
import type { Screen } from '../../view/paint.ts'
import { duration } from '../../view/text.ts'

const reason = { type: 'string', value: 'text', sentence: 'why, for the audit log' } as const

export const deliveries: CommandGroup = {
  name: 'deliveries',
  summary: 'deliveries: open, delivered and dead, and why',
  commands: [
    apiCommand({
      name: 'deliveries ls',
      summary: 'lists deliveries, newest first',
      options: {
        status: {
          type: 'string',
          multiple: true,
          value: 'word',
          choices: statuses,
          sentence: 'only pending, failed, delivered or dead; may be repeated',
        },
        text: {
          type: 'string',
          value: 'text',
          sentence: 'only those whose payload contains this, among the newest 1,000',
        },
        ...filterOptions,
        ...pageOptions,
      },
      examples: ['deliveries ls --status failed --since 2h', 'deliveries ls --application acme --json'],
      async run({ client, options, show, terminal }) {
        const text = typeof options['text'] === 'string' ? options['text'] : undefined
        const page = await client.request<Listed<DeliveryResponse>>('GET', '/delivery', {
          query: { ...filterQuery(options), ...pageQuery(options), text },
        })
        show(page, (screen) => deliveryTable(page.data, screen))
        if (options['json'] !== true && !page.done && page.iterator !== null)
          terminal.say(`There are more: --iterator ${page.iterator}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'deliveries get',
      summary: 'shows a delivery with its attempts, and says why it is where it is',
      takes: ['<id>'],
      async run({ client, given: [id = ''], show }) {
        const delivery = await client.request<DeliveryDetail>('GET', `/delivery/${pathSegment(id)}`)
        show(delivery, (screen) => detailText(delivery, screen))
        return exit.ok
      },
    }),
    apiCommand({
      name: 'deliveries retry',
      summary: 'sends deliveries again; one that was delivered is sent as a new delivery',
      takes: ['<id…>'],
      options: { reason },
      run: (call) => forEach(call, 'requeue', 'requeued'),
    }),
    apiCommand({
      name: 'deliveries cancel',
      summary: 'ends open deliveries as dead',
      takes: ['<id…>'],
      options: { reason },
      run: (call) => forEach(call, 'cancel', 'cancelled'),
    }),
  ],
}

/** One after the other; if one is refused, the others are still done. */
async function forEach(
  { client, given, options, show, terminal }: ApiCall,
  action: 'requeue' | 'cancel',
  done: string,
): Promise<number> {
  const body = typeof options['reason'] === 'string' ? { reason: options['reason'] } : {}
  let refused = 0
  for (const id of given) {
    try {
      const delivery = await client.request<DeliveryResponse>('POST', `/delivery/${pathSegment(id)}/${action}`, {
        body,
      })
      show(delivery, () => (delivery.id === id ? `${done} ${id}` : `${id} was delivered: sent again as ${delivery.id}`))
    } catch (thrown) {
      if (given.length === 1 || !(thrown instanceof PosthornError) || thrown.code === 'unreachable') throw thrown
      terminal.say(`posthorn: ${id}: ${thrown.message}`)
      refused += 1
    }
  }
  return refused === 0 ? exit.ok : exit.partial
}

export function deliveryTable(data: readonly DeliveryResponse[], screen: Screen): string {
  const rows = data.map(
    ({ id, createdAt, status, reason: why, attemptCount, eventType, targetUrl, errorDetail, inFlight }) => {
      const shown = status === 'dead' && why !== null ? `dead: ${why}` : inFlight ? 'sending' : status
      return [id, createdAt, shown, String(attemptCount), eventType, targetUrl, firstLine(errorDetail)]
    },
  )
  return columns(['DELIVERY', 'CREATED', 'STATUS', 'SENDS', 'TYPE', 'TO', 'LAST ERROR'], rows, screen)
}

function detailText(delivery: DeliveryDetail, screen: Screen): string {
  const {
    id,
    status,
    why,
    attemptCount,
    maxAttempts,
    eventType,
    messageId,
    endpointId,
    applicationId,
    targetUrl,
    createdAt,
    nextRetryAt,
    attempts,
  } = delivery
  const head = pairs([
    ['delivery', id],
    ['status', status],
    ['why', why.sentence],
    ['sends', `${attemptCount} of ${maxAttempts}`],
    ['next', nextRetryAt],
    ['type', eventType],
    ['to', targetUrl],
    ['message', messageId],
    ['endpoint', endpointId],
    ['application', applicationId],
    ['created', createdAt],
  ])
  return attempts.length === 0
    ? head
    : `${head}\n\n${columns(['ATTEMPT', 'STARTED', 'TOOK', 'OUTCOME'], attempts.map(attemptRow), screen)}`
}

function attemptRow({ number, startedAt, tookMs, outcome, statusCode, response, late }: AttemptResponse): string[] {
  const said = statusCode === null ? outcome : `HTTP ${statusCode}`
  const answer = response === null || response === '' ? '' : `: ${firstLine(response)}`
  return [String(number), startedAt, duration(tookMs), `${said}${answer}${late ? ' (late)' : ''}`]
}

function firstLine(text: string | null): string {
  return (text ?? '').split('\n', 1)[0]?.slice(0, 200) ?? ''
}
