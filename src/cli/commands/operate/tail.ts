import type { PosthornEvent } from '../../../core/ports/events.ts'
import { exit, listOption, textOption } from '../../command.ts'
import type { Command } from '../../command.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import type { StreamEvent } from '../../http-api/event-stream.ts'
import { lineOf } from '../../view/lines.ts'

export const tail: Command = apiCommand({
  name: 'tail',
  summary: 'shows live what is sent, delivered, failed and dead, until Ctrl-C',
  options: {
    type: {
      type: 'string',
      multiple: true,
      value: 'event',
      sentence: 'only these, such as delivery.dead; may be repeated',
    },
    endpoint: { type: 'string', value: 'id', sentence: 'only about this endpoint' },
    application: { type: 'string', value: 'id', sentence: 'only about this application' },
  },
  examples: ['tail --type delivery.dead', 'tail --json | jq .error_detail'],
  async run({ client, options, terminal }) {
    const query = {
      type: listOption(options, 'type'),
      endpoint: textOption(options, 'endpoint'),
      application: textOption(options, 'application'),
    }
    const events = await client.events(query, terminal.interrupted)
    terminal.say(`Watching ${client.where}. Ctrl-C ends it.`)
    for await (const event of events) {
      const line = options['json'] === true ? JSON.stringify(event.data) : lineIn(event)
      if (line !== null) terminal.output.write(`${line}\n`)
    }
    if (terminal.interrupted.aborted) return exit.ok
    terminal.say(`posthorn: ${client.where} ended the stream. Run the command again to continue.`)
    return exit.error
  },
})

/** The same lines as in `posthorn dev`; null for events without data. */
function lineIn({ type, data }: StreamEvent): string | null {
  if (type === 'gap') return '… some events were missed …'
  const event = data as PosthornEvent & { readonly at: unknown }
  return lineOf({ ...event, at: Date.parse(String(event.at)) }, { of: (endpointId) => endpointId })
}
