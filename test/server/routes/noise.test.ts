import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operations } from '../../../src/server/operations.ts'
import { databases, serverWorld } from '../world.ts'
import type { ServerWorld } from '../world.ts'

const ids = [
  'acme',
  'hooks',
  'app_0000000000000000000',
  'ep_0000000000000000000',
  'msg_0000000000000000000',
  `atmpt_${'0'.repeat(25)}`,
  'job_0000000000000000000',
  'invoice.paid',
]
const fields = [
  'name',
  'uid',
  'url',
  'description',
  'eventType',
  'eventTypes',
  'filterTypes',
  'payload',
  'eventId',
  'channels',
  'metadata',
  'headers',
  'deleteHeaders',
  'filter',
  'policy',
  'secret',
  'key',
  'gracePeriodSeconds',
  'throttleRate',
  'rateLimit',
  'disabled',
  'paused',
  'since',
  'until',
  'status',
  'schemas',
  'archived',
  'featureFlag',
  'application',
  'deliverAt',
  'access',
  'expiresAt',
  'appId',
  'action',
  'dryRun',
  'reason',
  '__proto__',
  'constructor',
]
const queries = [
  'limit',
  'iterator',
  'order',
  'status',
  'status_code_class',
  'channel',
  'event_types',
  'before',
  'after',
  'with_content',
  'with_msg',
  'endpoint_id',
  'since',
  'until',
  'expunge',
  'get_if_exists',
  'app_id',
  'task',
  'text',
  'window',
  'reason',
  'event_type',
  'message',
  'id',
  'type',
  'endpoint',
  'application',
]

// Texts that databases, URLs and regular expressions are known to stumble over.
const awkward = fc.constantFrom(
  '',
  '\0',
  '\ud800',
  "'; drop table x; --",
  '%',
  '_',
  '..',
  '😀',
  'a'.repeat(300),
  '9'.repeat(40),
  '-',
  '2026-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  'https://acme.example',
  '-1',
  '0',
  '1',
  '250',
  'true',
  'ascending',
)
// As `unit: 'binary'`, which first makes a table of all of them.
const character = fc
  .oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
const text = fc.oneof(awkward, fc.constantFrom(...ids), fc.string({ unit: character, maxLength: 12 }))
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(text, scalar, { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
)
const body = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .dictionary(fc.constantFrom(...fields), value, { maxKeys: 8 })
      .map((given) => JSON.stringify({ ...usual, ...given })),
  },
  { weight: 2, arbitrary: fc.jsonValue().map((given) => JSON.stringify(given)) },
  { weight: 1, arbitrary: text },
)
// Enough of everything to be let in everywhere, so that the noise reaches what lies behind.
const usual = {
  name: 'n',
  url: 'https://acme.example',
  description: '',
  eventType: 'a',
  payload: {},
  headers: {},
  since: '2026-01-01T00:00:00Z',
  action: 'requeue',
  filter: {},
  dryRun: true,
}
const call = fc.record({
  operation: fc.constantFrom(...operations),
  // Null for the one that exists, which most calls are about.
  params: fc.array(fc.option(text, { freq: 2 }), { minLength: 3, maxLength: 3 }),
  query: fc.dictionary(fc.constantFrom(...queries), text, { maxKeys: 3 }),
  body,
  key: fc.option(fc.constantFrom('one', 'two'), { freq: 4 }),
})

describe.each(databases)('noise at every route on %s', (database) => {
  test('is never an error of the server', { timeout: 120_000 }, async () => {
    const world = await serverWorld({ rateLimitPerSecond: 0 }, database)
    const existing = await makeExisting(world)
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(call, async ({ operation: { method, path }, params, query, body: noise, key }) => {
        let place = 0
        const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
          const given = params[place++] ?? null
          // What exists stays, for the calls that follow.
          const other = method === 'delete' && path.endsWith('_id}') ? 'x' : (existing[name] ?? 'x')
          return encodeURIComponent(wellFormed(given ?? other)) || 'x'
        })
        const search = new URLSearchParams(
          Object.entries(query).map(([name, given]): [string, string] => [name, wellFormed(given)]),
        ).toString()
        const headers = key === null ? {} : { 'idempotency-key': key }
        const reply = await world.call(method.toUpperCase(), `${filled}?${search}`, {
          headers,
          ...(method !== 'get' && { body: wellFormed(noise) }),
        })
        statuses.add(reply.status)
        expect(world.incidents).toEqual([])
        expect(reply.status).toBeLessThan(500)
        if (reply.status >= 400) expect(reply.body).toHaveProperty('detail')
      }),
      { numRuns: 1_000 },
    )
    // The noise came through, and was refused in more than one way.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 202, 204, 404, 422]))
  })
})

/** The ids of one of each, by the names that paths have for them. */
async function makeExisting({ call: ask }: ServerWorld): Promise<Record<string, string>> {
  async function make(path: string, given: unknown): Promise<string> {
    const { body: made } = await ask('POST', `/api/v1${path}`, { body: given })
    return (made as { id: string }).id
  }
  const app_id = await make('/app', { name: 'Acme' })
  const endpoint_id = await make(`/app/${app_id}/endpoint`, { url: 'https://acme.example' })
  const msg_id = await make(`/app/${app_id}/msg`, { eventType: 'a', payload: {} })
  const task_id = await make(`/app/${app_id}/endpoint/${endpoint_id}/recover`, { since: '2026-01-01T00:00:00Z' })
  const { body: listed } = await ask('GET', '/api/v1/delivery')
  const delivery_id = (listed as { data: { id: string }[] }).data[0]?.id ?? ''
  return { app_id, endpoint_id, msg_id, task_id, delivery_id, job_id: task_id, event_type_name: 'a' }
}

/** Half a character cannot be sent in a URL. */
function wellFormed(given: string): string {
  return given.replaceAll(/[\ud800-\udfff]/g, '?')
}
