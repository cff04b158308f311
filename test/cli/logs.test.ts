import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { manualClock, receiver } from 'posthorn/testing'
import { makeBus } from '../../src/engine/bus.ts'
import { logEvents } from '../../src/cli/logs/events.ts'
import { makeLog, mostLinesPerSecond } from '../../src/cli/logs/log.ts'
import type { Log, LogOptions } from '../../src/cli/logs/log.ts'
import { temporaryFolder } from './folder.ts'
import { linesOf } from './log-lines.ts'
import { run } from './run.ts'

function logHere(options: Partial<LogOptions> = {}) {
  const clock = manualClock()
  const written: string[] = []
  const log = makeLog({ level: 'info', format: 'json', clock, write: (line) => written.push(line), ...options })
  return { clock, log, written, lines: () => linesOf(written.join('')) }
}

function writeMany(log: Log, count: number): void {
  for (let written = 0; written < count; written += 1) log.write('info', 'delivery.failed', () => ({ written }))
}

test('a line is JSON with time, level, event and fields, and ends with a line feed', () => {
  const { log, written, lines } = logHere()
  log.write('warn', 'delivery.dead', () => ({ delivery_id: 'dlv_1', error: null }))
  expect(written).toEqual([expect.stringMatching(/^\{.*\}\n$/)])
  expect(lines()).toEqual([
    { level: 'warn', time: '2026-01-01T00:00:00.000Z', event: 'delivery.dead', delivery_id: 'dlv_1', error: null },
  ])
})

test.each(['info', 'error'])('an alarm that pages is an error, so it is written at level %s', (level) => {
  const { clock, log, lines } = logHere({ level })
  const bus = makeBus(clock)
  logEvents(bus, log)
  const about = { signal: 'oldest-due', subject: '', value: 400_000, threshold: 300_000, raised_at: 0 } as const
  const raised = { type: 'alarm.raised', alarm_id: 'oldest-due', ...about, message: 'Late.', repeated: false } as const
  bus.emit({ ...raised, severity: 'page' })
  bus.emit({ ...raised, severity: 'warning' })
  expect(lines().map((line) => line['level'])).toEqual(level === 'info' ? ['error', 'warn'] : ['error'])
})

test('as text a line is for a person, and nothing in it can move the cursor', () => {
  const { log, written } = logHere({ format: 'text' })
  const fields = { error: 'HTTP 500', code: 'lost', store_code: null, odd: 'a\u001b[2Jb\nc' }
  log.write('warn', 'lease.lost', () => ({ msg: 'Gone.', ...fields }))
  expect(written).toEqual([
    `2026-01-01T00:00:00.000Z warn  lease.lost Gone. error="HTTP 500" code=lost odd="a\\u001b[2Jb\\nc"\n`,
  ])
})

test('of one event only so many lines are written per second, and the rest is counted, not lost', async () => {
  const { clock, log, lines } = logHere()
  writeMany(log, mostLinesPerSecond + 1_234)
  log.write('warn', 'lease.lost', () => ({}))
  expect(lines()).toHaveLength(mostLinesPerSecond + 1)
  await clock.advance(1_000)
  expect(lines().at(-1)).toEqual({
    level: 'info',
    time: '2026-01-01T00:00:01.000Z',
    event: 'delivery.failed',
    suppressed: 1_234,
    msg: '… 1,234 more delivery.failed in the last second',
  })
  expect(lines()).toHaveLength(mostLinesPerSecond + 2)

  // The next second has lines of its own; what is left at the end is said at the end.
  writeMany(log, mostLinesPerSecond + 5)
  log.close()
  expect(lines().at(-1)).toMatchObject({ event: 'delivery.failed', suppressed: 5 })
  expect(clock.pending()).toBe(0)
  const failed = lines().filter(({ event }) => event === 'delivery.failed')
  const counted = failed.reduce((sum, { suppressed }) => sum + (typeof suppressed === 'number' ? suppressed : 1), 0)
  expect(counted).toBe(2 * mostLinesPerSecond + 1_234 + 5)
})

test('what is below the level is neither counted nor even listened for', () => {
  const { log, written } = logHere()
  log.write('debug', 'delivery.delivered', () => {
    throw new Error('A line that nobody reads was built.')
  })
  expect(written).toEqual([])
  const heard: string[] = []
  logEvents({ on: (type) => (heard.push(type), () => undefined) }, log)
  expect(heard).toContain('delivery.failed')
  expect(heard).not.toContain('delivery.delivered')
  expect(heard).not.toContain('message.enqueued')
})

test.each([
  ['serve', 'POSTHORN_LOG_LEVEL', 'loud', 'debug, info, warn, error, silent'],
  ['worker', 'POSTHORN_LOG_LEVEL', 'INFO', 'debug, info, warn, error, silent'],
  ['dev', 'POSTHORN_LOG_FORMAT', 'xml', 'json, text'],
])('posthorn %s refuses %s=%s at its start, and says what is allowed', async (command, name, value, allowed) => {
  const file = join(await temporaryFolder(), 'posthorn.db')
  const ended = await run([command], { POSTHORN_DATABASE_URL: `sqlite:${file}`, POSTHORN_PORT: '0', [name]: value })
  expect(ended).toEqual({
    code: 1,
    lines: [],
    stderr: `posthorn: Expected \`${name}\` to be one of ${allowed}, got "${value}".\n`,
  })
})

test.each([
  [{}, []],
  [{ POSTHORN_LOG_LEVEL: 'debug' }, ['delivery.delivered']],
])('posthorn dev, which shows deliveries itself, logs them only if a level is given: %j', async (given, wanted) => {
  const local = await receiver()
  const file = join(await temporaryFolder(), 'posthorn.db')
  const posthorn = new Posthorn({
    store: sqlite(file, { plaintextSecrets: true }),
    allowedTargets: ['127.0.0.0/8'],
  })
  onTestFinished(() => local.close())
  await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await posthorn.stop()
  const { code, lines, stderr } = await run(['dev', '--once', '--database', `sqlite:${file}`], {
    POSTHORN_PLAINTEXT_SECRETS: '1',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    ...given,
  })
  expect(code).toBe(0)
  expect(lines.some((line) => line.includes('  delivered  '))).toBe(true)
  const logged = linesOf(stderr).flatMap(({ event }) => (String(event).startsWith('delivery.') ? [event] : []))
  expect(logged).toEqual(wanted)
})
