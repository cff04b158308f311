import { cutValue } from '../../../server/request/json-value-bytes.ts'
import { exit, listOption, textOption } from '../../command.ts'
import type { CommandGroup, CommandOptions } from '../../command.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import { pathSegment } from '../../http-api/api-client.ts'
import { pageOptions, pageQuery, timeOf } from '../../http-api/filters.ts'
import type { Listed, MessageResponse } from '../../http-api/responses.ts'
import { columns, pairs } from '../../view/columns.ts'
import { printable } from '../../view/text.ts'

export const messages: CommandGroup = {
  name: 'messages',
  summary: 'sent messages: list, show one with its payload, erase the payload',
  commands: [
    apiCommand({
      name: 'messages ls',
      summary: 'lists the messages of an application, newest first',
      takes: ['<application>'],
      options: {
        type: { type: 'string', multiple: true, value: 'type', sentence: 'only these event types; may be repeated' },
        channel: { type: 'string', value: 'name', sentence: 'only those of this channel' },
        since: {
          type: 'string',
          value: 'time',
          sentence: 'only what was created since: 2026-01-31T12:00Z, or 2h, 30m, 7d ago',
        },
        until: { type: 'string', value: 'time', sentence: 'only what was created before' },
        ...pageOptions,
      },
      examples: ['messages ls acme --since 2h', 'messages ls acme --type invoice.paid --json'],
      async run({ client, options, given: [application = ''], show, terminal }) {
        const page = await client.request<Listed<MessageResponse>>('GET', `/app/${pathSegment(application)}/msg`, {
          query: {
            event_types: listOption(options, 'type'),
            channel: textOption(options, 'channel'),
            after: timeIn(options, 'since'),
            before: timeIn(options, 'until'),
            with_content: 'false',
            ...pageQuery(options),
          },
        })
        const rows = page.data.map(({ id, timestamp, eventType, eventId, channels }) => [
          id,
          timestamp,
          eventType,
          eventId ?? '-',
          channels?.join(',') ?? '-',
        ])
        show(page, (screen) => columns(['MESSAGE', 'CREATED', 'TYPE', 'EVENT ID', 'CHANNELS'], rows, screen))
        if (options['json'] !== true && !page.done && page.iterator !== null)
          terminal.say(`There are more: --iterator ${page.iterator}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'messages get',
      summary: 'shows a message with its payload, byte for byte',
      takes: ['<application>', '<message>'],
      text: ['The message is named by its id or its event id.'],
      async run({ client, options, given: [application = '', id = ''], terminal }) {
        const text = await client.text(`/app/${pathSegment(application)}/msg/${pathSegment(id)}`)
        terminal.output.write(options['json'] === true ? `${text}\n` : `${messageText(text, terminal.output.isTTY)}\n`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'messages erase',
      summary: 'erases the payload of a message and its responses for good; the rest stays',
      takes: ['<application>', '<message>'],
      text: [
        'Its open deliveries are cancelled, and it can never be sent again. This cannot be undone.',
        'The message is named by its id or its event id.',
      ],
      options: { yes: { type: 'boolean', sentence: 'confirms it; without it nothing is done' } },
      examples: ['messages erase acme msg_… --yes'],
      async run({ client, options, given: [application = '', id = ''], show, terminal }) {
        if (options['yes'] !== true) {
          terminal.say(
            `posthorn messages erase: expected --yes, because an erasure cannot be undone; got none. Nothing was done to ${id}.`,
          )
          return exit.usage
        }
        await client.request('DELETE', `/app/${pathSegment(application)}/msg/${pathSegment(id)}/content`)
        show({ id, erased: true }, () => `erased the payload of ${id}`)
        return exit.ok
      },
    }),
  ],
}

/** The payload is sliced from the text: parsing and re-serialising would change a long number. */
function messageText(text: string, isScreen: boolean): string {
  const { id, eventType, eventId, channels, timestamp } = JSON.parse(text) as MessageResponse
  const head = pairs([
    ['message', id],
    ['type', eventType],
    ['event id', eventId ?? null],
    ['channels', channels?.join(', ') ?? null],
    ['created', timestamp],
    ['deliveries', `posthorn deliveries ls --message ${id}`],
  ])
  const payload = Buffer.from(cutValue(Buffer.from(text), 'payload') ?? []).toString()
  // A customer's text must not be able to move the cursor.
  return `${head}\n\n${isScreen ? printable(payload) : payload}`
}

function timeIn(options: CommandOptions, name: string): string | undefined {
  const given = textOption(options, name)
  return given === undefined ? undefined : timeOf(given, name)
}
