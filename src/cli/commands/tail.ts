import { isoTime } from '../../core/time.ts'
import { exit, listOption, textOption } from '../command.ts'
import type { Command } from '../command.ts'
import { operatorCommand } from '../operator-command.ts'
import type { StreamEvent } from '../operator/event-stream.ts'
import { harmless } from '../view/text.ts'

export const tail: Command = operatorCommand({
  name: 'tail',
  summary: 'shows live what is sent, delivered, failed and given up, until Ctrl-C',
  options: {
    type: { type: 'string', multiple: true, value: 'event', sentence: 'only these, such as delivery.dead; may be repeated' },
    endpoint: { type: 'string', value: 'id', sentence: 'only about this endpoint' },
    application: { type: 'string', value: 'id', sentence: 'only about this application' },
  },
  examples: ['tail --type delivery.dead', 'tail --json | jq .error_detail'],
  async run({ operator, options, terminal }) {
    const query = { type: listOption(options, 'type'), endpoint: textOption(options, 'endpoint'), application: textOption(options, 'application') }
    const events = await operator.events(query, terminal.interrupted)
    terminal.say(`Watching ${operator.where}. Ctrl-C ends it.`)
    for await (const event of events) terminal.output.write(`${options['json'] === true ? JSON.stringify(event.data) : lineOf(event)}\n`)
    if (terminal.interrupted.aborted) return exit.ok
    terminal.say(`posthorn: ${operator.where} ended the stream. Start again to go on.`)
    return exit.error
  },
})

const shownFirst = new Set(['type', 'at', 'applicationId', 'endpointId', 'webhook_delivery_id', 'webhook_id', 'message_id', 'session_id'])

/** Time, what happened, to what, and whatever else is known about it. */
function lineOf({ type, data }: StreamEvent): string {
  if (type === 'gap') return '… some events were missed …'
  const fields = data as Readonly<Record<string, unknown>>
  const at = typeof fields['at'] === 'number' ? isoTime(fields['at']) : String(fields['at'])
  const id = fields['webhook_delivery_id'] ?? fields['message_id'] ?? fields['webhook_id'] ?? '-'
  const rest = Object.entries(fields).filter(([name, value]) => !shownFirst.has(name) && value !== null).map(([name, value]) => `${name}=${text(value)}`)
  return harmless(`${at}  ${type.padEnd(18)}  ${text(id)}  ${rest.join(' ')}`.trimEnd())
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
