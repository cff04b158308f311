import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configurationPage } from '../../scripts/configuration-page.js'
import { describeSettings } from '../../src/config/describe.ts'
import { settings } from '../../src/config/settings.ts'
import { builtPackage, root } from './built.ts'
import { startProgram } from './program.ts'
import { run } from './run.ts'
import { shop } from './shop.ts'

const built = builtPackage()
const adminKey = 'an-admin-key-of-the-test'
const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8')
const lines = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))
// What else a shell does in them, `npm run docs:check` runs.
const commands = lines.filter((line) => line.startsWith('posthorn ')).map((line) => line.replace(/ +# .*/, ''))

/** What looks at this machine itself, whatever server there is. */
const localWords = new Set(['doctor', 'config', 'migrate', 'secrets'])

test(
  'docs/operations.md has eleven things, and each of its commands works as it is written',
  { timeout: 120_000 },
  async () => {
    expect(page.match(/^## \d+\. /gm)).toHaveLength(11)
    const { environment, posthorn, endpointId, send, deadLetters } = await shop()
    await deadLetters(3)
    const [open = ''] = await send(1)
    const job = await posthorn.jobs.create({ action: 'requeue', filter: { status: 'dead', reason: 'expired' } })
    const { key } = await posthorn.keys.create({ name: 'old' })
    const [{ messageId } = { messageId: '' }] = await posthorn.deliveries.list({ status: 'dead' })
    const ids: Readonly<Record<string, string>> = {
      dlv: open,
      ep: endpointId,
      job: job.id,
      key: key.id,
      msg: messageId,
    }

    const server = startProgram(built.path('cli/main.js'), ['serve'], { ...environment, POSTHORN_ADMIN_KEY: adminKey })
    const url = (await server.says(/^posthorn listening on /)).replace(/^.* on /, '')

    for (const command of commands) {
      const [program, ...args] = wordsOf(
        command.replaceAll(/\b(dlv|ep|job|key|msg)_…/g, (_, kind: string) => ids[kind] ?? ''),
      )
      expect(program).toBe('posthorn')
      const [word = ''] = args
      const variables = localWords.has(word) ? environment : { POSTHORN_SERVER: url, POSTHORN_KEY: adminKey }
      const { code, stderr } = await (word === 'tail' ? watched(args, variables) : run(args, variables))
      // A busy machine may really have something wrong with it, and nothing listens at the endpoint.
      // No alarm is raised here, so none is found.
      const codes = word === 'doctor' ? [0, 1] : args[1] === 'ack' ? [3] : [0]
      expect(codes, `${command}: ${stderr}`).toContain(code)
    }
  },
)

/** A command that goes on until somebody ends it, which is a signal's to do: a program of its own. */
async function watched(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const running = startProgram(built.path('cli/main.js'), args, variables)
  await running.says(/^Watching /)
  running.child.kill('SIGINT')
  return { ...(await running.ended), stderr: running.stderr }
}

test('docs/configuration.md is what the table of settings says; npm run docs writes it', () => {
  expect(readFileSync(join(root, 'docs', 'configuration.md'), 'utf8')).toBe(
    configurationPage(settings, describeSettings([])),
  )
})

function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}
