import { systemClock } from '../../../clock.ts'
import { expected } from '../../../core/errors.ts'
import { isoTime } from '../../../core/time.ts'
import { verifySignature } from '../../../core/signing/verify.ts'
import { exit, textOption } from '../../command.ts'
import { helpText } from '../../help-text.ts'
import type { Command, CommandOptions, Option } from '../../command.ts'
import { print } from '../../print.ts'
import { readBytes, readSecret } from '../../read-file.ts'

const options: Readonly<Record<string, Option>> = {
  'secret-file': {
    type: 'string',
    value: 'path',
    sentence: "the file with the endpoint's secret (whsec_…), or a public key (whpk_…)",
  },
  header: {
    type: 'string',
    multiple: true,
    value: 'line',
    sentence: 'a header as it was received, such as "webhook-id: msg_…"; repeated',
  },
  tolerance: { type: 'string', value: 'seconds', sentence: 'how far the timestamp may be from now (default: 300)' },
  json: { type: 'boolean', sentence: 'prints JSON' },
}

export const verify: Command = {
  name: 'verify',
  summary: 'checks the signature of a request that was received',
  takes: ['[file]'],
  options,
  help: helpText({
    usage: 'verify [file] --secret-file path --header line…',
    text: [
      'Checks the signature of a body, from a file or stdin, byte for byte as it was received. Exits with 1 if it is not valid.',
    ],
    options,
    examples: [
      'posthorn verify body.json --secret-file secret --header "webhook-id: msg_…" \\',
      '    --header "webhook-timestamp: 1790000000" --header "webhook-signature: v1,…"',
    ],
  }),
  async run(chosen, terminal, [file = '-']) {
    const secretPath = textOption(chosen, 'secret-file')
    if (secretPath === undefined) {
      terminal.say('posthorn verify: expected --secret-file, got nothing.')
      return exit.usage
    }
    const headers = headersIn(chosen)
    const toleranceSeconds = toleranceIn(chosen)
    const secret = readSecret(secretPath, 'secret-file')
    const { messageId, timestamp } = verifySignature(await readBytes(file, terminal.input, 'file'), headers, secret, {
      now: systemClock.now(),
      toleranceSeconds,
    })
    const signedAt = isoTime(timestamp * 1_000)
    print(
      terminal,
      chosen,
      { valid: true, messageId, signedAt },
      () => `valid: message ${messageId}, signed ${signedAt}`,
    )
    return exit.ok
  },
}

function headersIn(chosen: CommandOptions): Record<string, string> {
  const lines = Array.isArray(chosen['header']) ? chosen['header'].map(String) : []
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw expected('invalid_argument', 'header', 'a name, a colon and a value', line)
      return [name, value]
    }),
  )
}

function toleranceIn(chosen: CommandOptions): number {
  const given = textOption(chosen, 'tolerance') ?? '300'
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw expected('invalid_argument', 'tolerance', 'a whole number of seconds', given)
}
