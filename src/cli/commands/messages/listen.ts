import { once } from 'node:events'
import { expected } from '../../../core/errors.ts'
import { exit, textOption } from '../../command.ts'
import { helpText } from '../../help-text.ts'
import type { Command, CommandOptions, Option } from '../../command.ts'
import { startReceiver } from './local-receiver.ts'
import type { ReceiverOptions } from './local-receiver.ts'
import { print } from '../../print.ts'
import { readSecret } from '../../read-file.ts'
import { printable } from '../../view/text.ts'

const options: Readonly<Record<string, Option>> = {
  port: { type: 'string', value: 'n', sentence: 'the port on 127.0.0.1, 0 for any that is free (default: 8072)' },
  'secret-file': {
    type: 'string',
    value: 'path',
    sentence: "the file with the endpoint's secret: signatures are then checked",
  },
  forward: {
    type: 'string',
    value: 'url',
    sentence: 'forwards each request unchanged, and answers as that URL does',
  },
  status: { type: 'string', value: 'n', sentence: 'answers with this status (default: 200)' },
  delay: { type: 'string', value: 'ms', sentence: 'waits this long before answering' },
  drop: { type: 'boolean', sentence: 'breaks the connection instead of answering' },
  json: { type: 'boolean', sentence: 'prints JSON, one line for each request' },
}

export const listen: Command = {
  name: 'listen',
  summary: 'receives webhooks on this machine: verifies, prints, forwards, or misbehaves',
  options,
  help: helpText({
    usage: 'listen [options]',
    text: [
      'Receives webhooks on 127.0.0.1, prints each of them, and answers as the options say. Posthorn delivers there',
      'if it runs with POSTHORN_ALLOWED_TARGETS=127.0.0.0/8.',
    ],
    options,
    examples: [
      'posthorn listen --secret-file secret --forward http://localhost:3000/hooks',
      'posthorn listen --status 500',
      'posthorn listen --delay 40000',
    ],
  }),
  async run(chosen, terminal) {
    const receiver = await startReceiver(receiverOptions(chosen), (receipt) => {
      const { at, id, type, path, bytes, signature, answer, body } = receipt
      print(terminal, chosen, receipt, () =>
        printable(
          `${at}  ${id ?? '-'}  ${type ?? '-'}  ${path}  ${bytes} bytes  signature ${signature}  ${answer}  ${body}`,
        ),
      )
    })
    terminal.say(`Listening on ${receiver.url}. Ctrl-C ends it.`)
    if (!terminal.interrupted.aborted) await once(terminal.interrupted, 'abort')
    await receiver.close()
    return exit.ok
  },
}

function receiverOptions(chosen: CommandOptions): ReceiverOptions {
  const secretPath = textOption(chosen, 'secret-file')
  const forward = textOption(chosen, 'forward')
  if (forward !== undefined && !/^https?:\/\//.test(forward))
    throw expected('invalid_argument', 'forward', 'an http(s) URL', forward)
  return {
    port: numberOf(chosen, 'port', 0, 65_535) ?? 8072,
    secret: secretPath === undefined ? null : readSecret(secretPath, 'secret-file'),
    forward: forward ?? null,
    status: numberOf(chosen, 'status', 200, 599) ?? 200,
    delayMs: numberOf(chosen, 'delay', 0, 3_600_000) ?? 0,
    drop: chosen['drop'] === true,
  }
}

function numberOf(chosen: CommandOptions, name: string, least: number, most: number): number | null {
  const given = textOption(chosen, name)
  if (given === undefined) return null
  if (/^\d{1,7}$/.test(given) && Number(given) >= least && Number(given) <= most) return Number(given)
  throw expected('invalid_argument', name, `a whole number from ${least} to ${most}`, given)
}
