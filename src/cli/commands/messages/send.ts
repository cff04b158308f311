import { expected, messageOf, PosthornError } from '../../../core/errors.ts'
import { exit, listOption, textOption } from '../../command.ts'
import type { Command, CommandOptions, Terminal } from '../../command.ts'
import { readBytes } from '../../read-file.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import { pathSegment } from '../../http-api/api-client.ts'

export const send: Command = apiCommand({
  name: 'send',
  summary: 'sends a message to every endpoint of an application that subscribes to it',
  takes: ['<type>'],
  text: ['The payload is a JSON object, sent byte for byte as it is written: from --data, --file, or stdin.'],
  options: {
    application: { type: 'string', value: 'id', sentence: 'whose endpoints get it, by id or uid' },
    data: { type: 'string', value: 'json', sentence: 'the payload' },
    file: { type: 'string', value: 'path', sentence: 'the file with the payload; - for stdin' },
    channel: {
      type: 'string',
      multiple: true,
      value: 'name',
      sentence: 'only to endpoints of this channel; may be repeated',
    },
    'event-id': {
      type: 'string',
      value: 'id',
      sentence: 'your own name for the event; a second message with it is refused',
    },
    'session-id': {
      type: 'string',
      value: 'id',
      sentence: 'the session in which it happened; dead-letter events carry it',
    },
    'idempotency-key': {
      type: 'string',
      value: 'text',
      sentence: 'repeating the command with the same key sends nothing twice',
    },
  },
  examples: [
    'send invoice.paid --application acme --data \'{"id":7}\'',
    'send invoice.paid --application acme < invoice.json',
  ],
  async run({ client, options, given: [type = ''], show, terminal }) {
    const application = textOption(options, 'application')
    if (application === undefined) {
      terminal.say('posthorn send: expected --application, got nothing.')
      return exit.usage
    }
    const payload = checkPayload(await payloadOf(options, terminal))
    const head = {
      eventType: type,
      channels: listOption(options, 'channel'),
      eventId: textOption(options, 'event-id'),
      sessionId: textOption(options, 'session-id'),
    }
    const key = textOption(options, 'idempotency-key')
    const message = await client.request<{ id: string }>('POST', `/app/${pathSegment(application)}/msg`, {
      query: { with_content: 'false' },
      // Assembled as text: a number in the payload must not be rounded.
      body: `${JSON.stringify(head).slice(0, -1)},"payload":${payload}}`,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
    show(message, () => message.id)
    return exit.ok
  },
})

async function payloadOf(options: CommandOptions, { input }: Terminal): Promise<string> {
  const [data, file] = [textOption(options, 'data'), textOption(options, 'file')]
  if (data !== undefined) return data
  return (await readBytes(file ?? '-', input, 'file')).toString()
}

function checkPayload(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PosthornError(
      'invalid_argument',
      `Expected the payload to be JSON: ${messageOf(cause)}. Give it by --data, --file or stdin.`,
      { cause },
    )
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text.trim()
  throw expected('invalid_argument', 'payload', 'a JSON object', value)
}
