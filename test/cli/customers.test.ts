import { describe, expect, test } from 'vitest'
import { isFast } from '../postgres.ts'
import { run } from './run.ts'
import { shop } from './shop.ts'

// Loaded by the first command: here, so that its test need not wait for it.
await import('../../src/cli/http-api/local-client.ts')

describe.each(isFast ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const))('on %s', (database) => {
  test('applications are created, shown and listed', async () => {
    const { environment, posthorn } = await shop(database)
    const created = await run(
      ['applications', 'create', 'Globex Ltd', '--uid', 'globex', '--rate', '5', '--json'],
      environment,
    )
    expect(created).toMatchObject({ code: 0, stderr: '' })
    const { id } = JSON.parse(created.lines[0] ?? '') as { id: string }
    expect(await posthorn.applications.get('globex')).toMatchObject({ id, name: 'Globex Ltd', ratePerSecond: 5 })

    const got = await run(['applications', 'get', 'globex'], environment)
    expect(got.code).toBe(0)
    expect(got.lines.join('\n')).toMatch(
      new RegExp(`^application +${id}\nuid +globex\nname +Globex Ltd\nrate limit +5 per second\ncreated +\\S+$`),
    )
    for (const word of ['ls', 'list']) {
      const listed = await run(['applications', word], environment)
      expect(listed.lines.map((line) => line.split(/ {2,}/)[1])).toEqual(['UID', 'acme', 'globex'])
    }
  })

  test('messages are listed and shown, their payload byte for byte', async () => {
    const { environment } = await shop(database)
    const payload = '{"id":12345678901234567890,"rate":1.0}'
    const sent = await run(
      ['send', 'invoice.paid', '--application', 'acme', '--data', payload, '--event-id', 'evt-7'],
      environment,
    )
    const [id = ''] = sent.lines
    await run(['send', 'order.made', '--application', 'acme', '--data', '{}'], environment)

    const listed = await run(['messages', 'ls', 'acme', '--type', 'invoice.paid', '--since', '1h'], environment)
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.lines.map((line) => line.split(/ {2,}/)[0])).toEqual(['MESSAGE', id])
    expect((await run(['messages', 'list', 'acme', '--until', '1h'], environment)).lines).toHaveLength(1)

    const got = await run(['messages', 'get', 'acme', 'evt-7'], environment)
    expect(got.lines[0]).toMatch(new RegExp(`^message +${id}$`))
    expect(got.lines.at(-1)).toBe(payload)
    expect((await run(['messages', 'get', 'acme', id, '--json'], environment)).lines[0]).toContain(payload)
  })

  test('endpoints are created with headers and a filter', async () => {
    const { environment, posthorn } = await shop(database)
    const filter = { path: 'data.region', equals: 'eu' }
    const flags = ['--header', 'x-team: billing, eu', '--header', 'X-Trace:1', '--filter', JSON.stringify(filter)]
    const created = await run(
      ['endpoints', 'create', 'http://127.0.0.1:9/eu', '--application', 'acme', '--json', ...flags],
      environment,
    )
    expect(created).toMatchObject({ code: 0, stderr: '' })
    const { id } = JSON.parse(created.lines[0] ?? '') as { id: string }
    const endpoint = await posthorn.endpoints.get(id)
    expect(endpoint).toMatchObject({ filter })
    expect(Object.entries(endpoint?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])).toEqual([
      ['x-team', 'billing, eu'],
      ['x-trace', '1'],
    ])
  })
})

test.each([
  [
    ['deliveries', 'ls', '--status', 'ded'],
    'expected --status to be pending, failed, delivered or dead, got "ded". Did you mean "dead"?',
  ],
  [['deliveries', 'ls', '--status', 'dead,faild'], 'got "faild". Did you mean "failed"?'],
  [['dlq', 'ls', '--reason', 'expird'], 'Did you mean "expired"?'],
  [['deliveries', 'ls', '--since', 'yesterday'], '`--since` to be a time'],
  [['deliveries', 'ls', '--limit', '1000'], '--limit'],
  [['messages', 'ls', 'acme', '--until', 'soon'], '`--until` to be a time'],
  [['applications', 'create', 'Acme', '--rate', 'many'], '`--rate` to be a number, got "many"'],
  [['endpoints', 'create', 'nowhere', '--application', 'acme'], '`<url>` to be an absolute http(s) URL'],
  [
    ['endpoints', 'create', 'http://127.0.0.1:9/', '--application', 'acme', '--header', 'team'],
    '`--header` to be a name, a colon and a value',
  ],
  [['endpoints', 'create', 'http://127.0.0.1:9/', '--application', 'acme', '--filter', '{'], '`--filter` to be JSON'],
  [['endpoints', 'create', 'http://127.0.0.1:9/', '--application', 'acme', '--filter', '{"path":7}'], '`--filter`'],
  [['endpoints', 'create', 'http://127.0.0.1:9/', '--application', 'acme', '--header', 'webhook-id: 1'], '`--header`'],
])('%j is called wrongly: 2, and one line that says how', async (args, wanted) => {
  const { environment } = await shop()
  const { code, lines, stderr } = await run(args, environment)
  expect(stderr).toContain(wanted)
  expect(stderr.startsWith(`posthorn ${args[0] ?? ''} ${args[1] ?? ''}: `)).toBe(true)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect({ code, lines }).toEqual({ code: 2, lines: [] })
})

test.each([
  [['applications', 'get', 'nobody'], 3],
  [['messages', 'ls', 'nobody'], 3],
  [['messages', 'get', 'acme', 'msg_nothing'], 3],
  [['applications', 'create', 'Acme', '--uid', 'acme'], 1],
])('%j was called well, and ends with %i', async (args, wanted) => {
  const { environment } = await shop()
  const { code, stderr } = await run(args, environment)
  expect(stderr).not.toBe('')
  expect(code).toBe(wanted)
})
