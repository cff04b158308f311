import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqlite } from 'posthorn/sqlite'
import { builtPackage, root } from './built.ts'
import { temporaryFolder } from './folder.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'
import { run } from './run.ts'

const built = builtPackage()

function posthorn(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Program {
  return startProgram(built.path('cli/main.js'), args, environment)
}

describe('the command line', () => {
  test.each([
    [['--help'], 'Usage: posthorn <command>'],
    [['-h'], 'Usage: posthorn <command>'],
    [['dev', '--help'], 'Usage: posthorn dev'],
  ])('%j explains itself on stdout', async (args, wanted) => {
    const { code, lines, stderr } = await run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(lines.join('\n')).toContain(wanted)
  })

  test('what is refused ends the program with the code of a usage error', async () => {
    const program = posthorn(['dve'])
    expect(await program.ended).toEqual({ code: 2, signal: null })
    expect(program.stderr).toContain('unknown command')
    expect(program.lines).toEqual([])
  })

  test('--version is that of the package', async () => {
    const program = posthorn(['--version'])
    expect(await program.ended).toEqual({ code: 0, signal: null })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(program.lines).toEqual([version])
  })

  test.each([
    [['dve'], 'posthorn: unknown command "dve". Did you mean "dev"?'],
    [['deliver'], 'posthorn: unknown command "deliver". Did you mean "deliveries"?'],
    [['xyzzy'], 'posthorn: unknown command "xyzzy". "posthorn --help" lists all.'],
    [['dev', '--twice'], "posthorn dev: Unknown option '--twice'"],
    [[], 'Usage: posthorn <command>'],
  ])('%j is refused on stderr, as a usage error', async (args, wanted) => {
    expect(await run(args)).toEqual({ code: 2, lines: [], stderr: expect.stringContaining(wanted) })
  })

  test.each<[string[], Record<string, string>, string]>([
    [
      [],
      { POSTHORN_POLL_MS: 'soon' },
      'posthorn: Expected `POSTHORN_POLL_MS` to be a whole number from 10 to 600000, got "soon".\n',
    ],
    [['--database', 'mysql://me:secret@host/db'], {}, 'posthorn: Expected `database` to be `sqlite:` and a path'],
    [[], { POSTHORN_PRESET: 'hasty' }, 'posthorn: Expected `preset` to be one of'],
  ])('dev %j with %j ends with one line that names what is wrong', async (args, environment, wanted) => {
    const program = posthorn(['dev', ...args], environment)
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.stderr).toContain(wanted)
    expect(program.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(program.stderr).not.toContain('secret')
    expect(program.lines).toEqual([])
  })
})

describe('posthorn dev', () => {
  test('runs on, sends one more sample for every line it is given, and ends in order on SIGINT', async () => {
    const folder = await temporaryFolder()
    // The end waits for the attempts under way, one of which hangs.
    const program = posthorn(['dev'], { TMPDIR: folder, WEBHOOK_TIMEOUT_SECONDS: '1' })
    await program.says(/sample\.reset for 1 endpoint$/)
    expect(program.stderr).toContain('Type ok, slow, flaky, hang, 500, reset and Enter')

    program.child.stdin.write('ok\nwhat\n')
    await program.says(/Expected one of ok, .* got "what"/)
    await program.says(/sample\.ok for 1 endpoint$/, 11)
    await program.says(/ {2}ok {8}delivered/, 11)

    program.child.kill('SIGINT')
    await program.says(/^Stopping: /)
    expect(await program.ended).toEqual({ code: 0, signal: null })
    expect(program.lines.filter((line) => line.includes('sample.ok'))).toHaveLength(11)
    const [, sent, delivered, dead, open] =
      /^sent (\d+) delivered (\d+) dead (\d+) open (\d+)$/.exec(program.lines.at(-1) ?? '') ?? []
    expect(Number(sent)).toBe(21)
    expect(Number(delivered) + Number(dead) + Number(open)).toBe(21)
    expect(Number(delivered)).toBeGreaterThanOrEqual(11)
    expect(readdirSync(folder)).toEqual([])
  })

  test('a second signal leaves at once, whatever is under way', async () => {
    const folder = await temporaryFolder()
    const program = posthorn(['dev'], { TMPDIR: folder, WEBHOOK_TIMEOUT_SECONDS: '300' })
    await program.says(/sample\.reset for 1 endpoint$/)
    program.child.kill('SIGINT')
    await program.says(/^Stopping: /)
    let hasEnded = false
    const ended = program.ended.finally(() => (hasEnded = true))
    while (!hasEnded) {
      program.child.kill('SIGINT')
      await new Promise(setImmediate)
    }
    expect(await ended).toEqual({ code: 130, signal: null })
    expect(readdirSync(folder)).toEqual([])
  })

  test('honours the settings of the environment', async () => {
    const program = posthorn(['dev'], { TMPDIR: await temporaryFolder(), WEBHOOK_TIMEOUT_SECONDS: '1' })
    expect(await program.says(/ {2}slow {6}failed/)).toContain('attempt 1: no answer within 1000 ms')
    program.child.kill('SIGTERM')
    expect(await program.ended).toEqual({ code: 0, signal: null })
  })

  test.each(['POSTHORN_DATABASE_URL', '--database'])(
    'on a database given by %s it sends no samples, and delivers as the settings say',
    async (how) => {
      const file = join(await temporaryFolder(), 'own.db')
      const url = `sqlite:${file}`
      const program =
        how === '--database' ? posthorn(['dev', '--once', how, url]) : posthorn(['dev', '--once'], { [how]: url })
      expect(await program.ended).toEqual({ code: 0, signal: null })
      expect(program.lines).toEqual(['sent 0 delivered 0 dead 0 open 0'])
      expect(program.stderr).not.toContain('Retry delays under 30 s')
      expect(program.stderr).toContain(`${file}.key`)

      const store = sqlite(file)
      await store.open()
      expect(await store.directory.listEndpoints({}, { limit: 10, after: null })).toEqual([])
      await store.close()
    },
  )

  test('a database that is in use is refused by the name of its holder', async () => {
    const url = `sqlite:${join(await temporaryFolder(), 'own.db')}`
    const first = posthorn(['dev', '--database', url])
    await first.says(/^Posthorn dev · /)
    const second = posthorn(['dev', '--database', url])
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.stderr).toContain(`got one in process ${first.pid} on `)
  })
})
