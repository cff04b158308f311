import { PosthornError } from '../../../core/errors.ts'
import { exit } from '../../command.ts'
import type { Family } from '../../command.ts'
import { filterOptions, filterQuery, pageOptions, pageQuery } from '../../operator/filters.ts'
import { operatorCommand } from '../../operator/operator-command.ts'
import type { OperatorCall } from '../../operator/operator-command.ts'
import type { AttemptAnswer, DeliveryAnswer, DeliveryDetail, Listed } from '../../operator/answers.ts'
import { segment } from '../../operator/operator.ts'
import { columns, pairs } from '../../view/columns.ts'
import { duration } from '../../view/text.ts'

const reason = { type: 'string', value: 'text', sentence: 'why, for the audit log' } as const

export const deliveries: Family = {
  name: 'deliveries',
  summary: 'what is on its way, arrived or died, and why',
  commands: [
    operatorCommand({
      name: 'deliveries ls',
      summary: 'lists deliveries, newest first',
      options: {
        status: { type: 'string', multiple: true, value: 'word', sentence: 'only pending, failed, delivered or dead; may be repeated' },
        text: { type: 'string', value: 'text', sentence: 'only those whose payload has this in it, among the newest 1,000' },
        ...filterOptions,
        ...pageOptions,
      },
      examples: ['deliveries ls --status failed --since 2h', 'deliveries ls --application acme --json'],
      async run({ operator, options, show, terminal }) {
        const text = typeof options['text'] === 'string' ? options['text'] : undefined
        const page = await operator.ask<Listed<DeliveryAnswer>>('GET', '/delivery', { query: { ...filterQuery(options), ...pageQuery(options), text } })
        show(page, () => deliveryTable(page.data))
        if (options['json'] !== true && !page.done && page.iterator !== null) terminal.say(`There are more: --iterator ${page.iterator}`)
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'deliveries get',
      summary: 'shows a delivery with its attempts, and says why it is where it is',
      takes: ['<id>'],
      async run({ operator, given: [id = ''], show }) {
        const delivery = await operator.ask<DeliveryDetail>('GET', `/delivery/${segment(id)}`)
        show(delivery, () => detailText(delivery))
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'deliveries retry',
      summary: 'sends deliveries again; one that was delivered is sent as a new delivery',
      takes: ['<id…>'],
      options: { reason },
      run: (call) => forEach(call, 'requeue', 'requeued'),
    }),
    operatorCommand({
      name: 'deliveries cancel',
      summary: 'ends deliveries that are on their way, as dead',
      takes: ['<id…>'],
      options: { reason },
      run: (call) => forEach(call, 'cancel', 'cancelled'),
    }),
  ],
}

/** One after the other; of several, one that is refused does not keep the others from being done. */
async function forEach({ operator, given, options, show, terminal }: OperatorCall, action: 'requeue' | 'cancel', done: string): Promise<number> {
  const body = typeof options['reason'] === 'string' ? { reason: options['reason'] } : {}
  let refused = 0
  for (const id of given) {
    try {
      const delivery = await operator.ask<DeliveryAnswer>('POST', `/delivery/${segment(id)}/${action}`, { body })
      show(delivery, () => (delivery.id === id ? `${done} ${id}` : `${id} was delivered: sent again as ${delivery.id}`))
    } catch (thrown) {
      if (given.length === 1 || !(thrown instanceof PosthornError) || thrown.code === 'unreachable') throw thrown
      terminal.say(`posthorn: ${id}: ${thrown.message}`)
      refused += 1
    }
  }
  return refused === 0 ? exit.ok : exit.partial
}

export function deliveryTable(data: readonly DeliveryAnswer[]): string {
  const rows = data.map(({ id, createdAt, status, reason: why, attemptCount, eventType, targetUrl, errorDetail, inFlight }) => {
    const shown = status === 'dead' && why !== null ? `dead: ${why}` : inFlight ? 'sending' : status
    return [id, createdAt, shown, String(attemptCount), eventType, targetUrl, firstLine(errorDetail)]
  })
  return columns(['DELIVERY', 'CREATED', 'STATUS', 'SENDS', 'TYPE', 'TO', 'LAST ERROR'], rows)
}

function detailText(delivery: DeliveryDetail): string {
  const { id, status, why, attemptCount, maxAttempts, eventType, messageId, endpointId, applicationId, targetUrl, createdAt, nextRetryAt, attempts } = delivery
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
  return attempts.length === 0 ? head : `${head}\n\n${columns(['ATTEMPT', 'STARTED', 'TOOK', 'OUTCOME'], attempts.map(attemptRow))}`
}

function attemptRow({ number, startedAt, tookMs, outcome, statusCode, response, late }: AttemptAnswer): string[] {
  const said = statusCode === null ? outcome : `HTTP ${statusCode}`
  const answer = response === null || response === '' ? '' : `: ${firstLine(response)}`
  return [String(number), startedAt, duration(tookMs), `${said}${answer}${late ? ' (late)' : ''}`]
}

function firstLine(text: string | null): string {
  return (text ?? '').split('\n', 1)[0]?.slice(0, 200) ?? ''
}
