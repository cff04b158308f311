import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  backoffInStores,
  chanceExceptions,
  columns,
  coreImports,
  corePurity,
  deliveryUpdates,
  drivers,
  environment,
  fencing,
  heartbeatLayers,
  laws,
  layers,
  mapping,
  processEnd,
  timeAndChance,
  uiTypes,
} from './laws.ts'
import { importsOf, readSource, readTree } from './source.ts'

const tree = readTree(fileURLToPath(new URL('../../src', import.meta.url)))

test.each(laws)('the tree keeps the law: $name', ({ check }) => {
  expect(tree.flatMap(({ path, text }) => check(path, text))).toEqual([])
})

test('the laws see the whole tree: every layer, and statements to judge', () => {
  const folders = new Set(tree.map(({ path }) => path.split('/', 1)[0]))
  expect([...folders]).toEqual(expect.arrayContaining(['core', 'engine', 'stores', 'transport', 'clock.ts']))
  const updates = tree.filter(({ path }) => path.startsWith('stores/')).flatMap(({ text }) => deliveryUpdates(text))
  expect(updates.length).toBeGreaterThanOrEqual(5) // Claim, renew, mark, release, requeue, cancel.
  expect(tree.find(({ path }) => path === 'core/delivery/delivery.ts')).toBeDefined()
})

test.each(Object.entries(chanceExceptions))('the exception for %s is still needed', (path, names) => {
  const { code } = readSource(tree.find((file) => file.path === path)?.text ?? '')
  for (const name of names) expect(code).toContain(name)
})

type Case = readonly [path: string, text: string]

describe.each<[string, (path: string, text: string) => string[], { broken: Case[]; kept: Case[] }]>([
  [
    'coreImports',
    coreImports,
    {
      broken: [
        ['core/pace.ts', "import { x } from '../engine/x.ts'"],
        ['core/pace.ts', "import type { X } from '../clock.ts'"],
        ['core/pace.ts', "import {\n  createHash,\n} from 'node:crypto'"],
        ['core/signing/signature.ts', "import { readFileSync } from 'node:fs'"],
        ['core/pace.ts', "export { x } from 'zod'"],
        ['core/pace.ts', "import 'zod'"],
        ['core/pace.ts', "const x = await import('../engine/x.ts')"],
      ],
      kept: [
        ['core/pace.ts', "import { x } from './time.ts'\n// from '../engine/x.ts'"],
        ['core/signing/signature.ts', "import { createHmac } from 'node:crypto'"],
        ['engine/pace.ts', "import { x } from '../clock.ts'"],
      ],
    },
  ],
  [
    'corePurity',
    corePurity,
    {
      broken: [
        ['core/pace.ts', 'const now = Date.now()'],
        ['core/pace.ts', 'const text = new Date(at).toISOString()'],
        ['core/time.ts', 'const now = new Date()'],
        ['core/pace.ts', 'const dice = Math.random()'],
        ['core/pace.ts', 'setTimeout(next, 5)'],
        ['core/pace.ts', 'if (process.env.X) console.log(1)'],
        ['core/pace.ts', 'await fetch(url)'],
        ['core/pace.ts', "const text = `at ${Date.now()} o'clock`"],
      ],
      kept: [
        ['core/time.ts', 'return new Date(at).toISOString()'],
        ['core/pace.ts', "// Date.now()\n/* console */ const text = 'fetch'; const pattern = /process/"],
        ['core/pace.ts', 'const { updatedAt, processed } = row'],
        ['engine/pace.ts', 'const text = new Date(at).toISOString()'],
      ],
    },
  ],
  [
    'layers',
    layers,
    {
      broken: [
        ['engine/deliver.ts', "import { http } from '../transport/http.ts'"],
        ['engine/deliver.ts', "import type { Posthorn } from '../posthorn.ts'"],
        ['stores/sqlite/queue/queue.ts', "import { x } from '../../../engine/writer.ts'"],
        ['transport/http.ts', "import { x } from '../stores/sql.ts'"],
        ['ui/app.tsx', "import { x } from '../server/api.ts'"],
        ['ui/app.tsx', "import type { x } from '../server/schemas.ts'"],
        ['server/api.ts', "import { x } from '../stores/sql.ts'"],
        ['engine/deliver.ts', "export * from '../clock.ts'"],
      ],
      kept: [
        [
          'engine/deliver.ts',
          "import { x } from '../core/pace.ts'\nimport { y } from './writer.ts'\nimport { z } from 'node:crypto'",
        ],
        ['stores/sqlite/queue/queue.ts', "import { x } from '../sql.ts'\nimport { y } from '../../../core/ids.ts'"],
        ['server/api.ts', "import { x } from '../posthorn.ts'\nimport { y } from '../core/ids.ts'"],
        ['ui/app.tsx', "import type { x } from '../server/schemas/common.ts'"],
        ['cli/main.ts', "import { x } from '../stores/sql.ts'"],
      ],
    },
  ],
  [
    'uiTypes',
    uiTypes,
    {
      broken: [
        ['ui/words.ts', "import { statuses } from '../core/delivery.ts'"],
        ['ui/words.ts', "import { uid } from '../server/schemas/common.ts'"],
        ['ui/pages/x.tsx', "export { statuses } from '../../core/delivery.ts'"],
        ['ui/pages/x.tsx', 'const page = <p dangerouslySetInnerHTML={{ __html: text }} />'],
        ['ui/pages/x.tsx', 'element.innerHTML = text'],
        ['ui/pages/x.tsx', 'const page = <p style={{ width }} />'],
      ],
      kept: [
        ['ui/words.ts', "import type { Status } from '../core/delivery.ts'\nimport { count } from './format.ts'"],
        ['server/api.ts', "import { statuses } from '../core/delivery.ts'"],
      ],
    },
  ],
  [
    'drivers',
    drivers,
    {
      broken: [
        ['stores/sqlite/connection.ts', "import pg from 'pg'"],
        ['engine/deliver.ts', "import { request } from 'undici'"],
        ['posthorn.ts', "import { DatabaseSync } from '@photostructure/sqlite'"],
        ['cli/database.ts', "const { Pool } = load('pg')"],
        ['index.ts', "export { sqlite } from './stores/sqlite/index.ts'"],
      ],
      kept: [
        ['stores/postgres/database.ts', "import pg from 'pg'"],
        ['stores/postgres/load-driver.ts', "const { Pool } = load('pg')"],
        ['stores/sqlite/connection.ts', "import { DatabaseSync } from '@photostructure/sqlite'"],
        ['index.ts', "export { Posthorn } from './posthorn.ts'"],
        ['cli/main.ts', "import { sqlite } from '../stores/sqlite/index.ts'"],
      ],
    },
  ],
  [
    'timeAndChance',
    timeAndChance,
    {
      broken: [
        ['engine/writer.ts', 'const now = Date.now()'],
        ['engine/writer.ts', 'const now = new Date( )'],
        ['engine/writer.ts', 'const now = Date()'],
        ['engine/writer.ts', 'const dice = Math.random()'],
        ['cli/main.ts', 'setTimeout(() => undefined, 5)'],
        ['cli/main.ts', 'const timer = globalThis.setInterval(next, 5)'],
        ['engine/writer.ts', 'const start = performance.now()'],
        ['engine/writer.ts', 'const start = process.hrtime.bigint()'],
        ['engine/writer.ts', "import { setTimeout as wait } from 'node:timers/promises'"],
        ['engine/writer.ts', 'const signal = AbortSignal.timeout(5)'],
        ['engine/send/outbox.ts', 'const id = randomUUID()'],
        ['stores/shared/secrets.ts', 'const id = randomUUID()'],
        ['posthorn.ts', 'crypto.getRandomValues(bytes)'],
        ['ui/state.ts', 'const now = Date.now()'],
      ],
      kept: [
        ['clock.ts', 'const now = Date.now()'],
        ['ui/clock.ts', 'const now = Date.now()'],
        ['engine/writer.ts', 'const now = clock.now() // not Date.now()'],
        ['engine/writer.ts', 'const text = new Date(at).toISOString()'],
        ['transport/retry-after.ts', 'const at = Date.parse(text)'],
        ['stores/shared/secrets.ts', 'const nonce = randomBytes(12)'],
        ['engine/writer.ts', 'setImmediate(next)'],
        ['transport/dial.ts', 'socket.setTimeout(0)'],
        ['engine/writer.ts', "const text = 'setTimeout'"],
      ],
    },
  ],
  [
    'environment',
    environment,
    {
      broken: [
        ['posthorn.ts', 'const key = process.env.POSTHORN_KEY'],
        ['cli/main.ts', "const key = process.env['POSTHORN_KEY']"],
        ['cli/main.ts', "import { argv, env } from 'node:process'"],
      ],
      kept: [
        ['config/environment.ts', 'const key = process.env.POSTHORN_KEY'],
        ['posthorn.ts', '// process.env is not read here\nconst pid = process.pid'],
        ['cli/main.ts', "import { argv } from 'node:process'"],
      ],
    },
  ],
  [
    'processEnd',
    processEnd,
    {
      broken: [
        ['cli/commands/serve.ts', 'process.exit(1)'],
        ['engine/deliver.ts', 'process.abort()'],
        ['posthorn.ts', 'process.kill(process.pid)'],
        ['posthorn.ts', "import { exit } from 'node:process'"],
      ],
      kept: [
        ['cli/main.ts', 'process.exit(1)'],
        ['cli/commands/serve.ts', 'process.exitCode = 1'],
        ['posthorn.ts', "const text = 'process.exit()'"],
      ],
    },
  ],
  [
    'columns',
    columns,
    {
      broken: [
        ['engine/writer.ts', 'const until = row.lease_until'],
        ['engine/writer.ts', "const order = 'next_retry_at'"],
        ['server/api.ts', 'const text = `select * from webhook_deliveries`'],
        ['cli/commands/dlq.ts', "db.run('delete from x')"],
        ['posthorn.ts', "db.run('update x set y = 1')"],
        ['testing/store.ts', "const table = 'posthorn_messages'"],
      ],
      kept: [
        ['stores/sqlite/queue/claim.ts', 'const text = `select lease_until from webhook_deliveries`'],
        [
          'engine/deliver.ts',
          'bus.tell({ webhook_id: id, attempt_count: 1, next_retry_at: at, error_detail: detail })',
        ],
        [
          'engine/deliver.ts',
          "// lease_until is the store's\nthrow new Error('Update the secret, or select another from the list.')",
        ],
      ],
    },
  ],
  [
    'mapping',
    mapping,
    {
      broken: [
        ['stores/sqlite/queue/claim.ts', 'const at = row.next_retry_at'],
        ['stores/sqlite/queue/claim.ts', 'const at = row?.next_retry_at'],
        ['stores/shared/directory/operations.ts', "const at = row['next_retry_at']"],
      ],
      kept: [
        ['stores/shared/rows/rows.ts', 'const at = row.next_retry_at'],
        ['stores/shared/rows/directory-rows.ts', 'const at = row.next_retry_at'],
        ['stores/sqlite/queue/claim.ts', "const names = ['next_retry_at']; const text = `d.next_retry_at`"],
        ['engine/deliver.ts', 'const at = event.next_retry_at'],
      ],
    },
  ],
  [
    'fencing',
    fencing,
    {
      broken: [
        ['stores/sqlite/queue/mark.ts', 'const text = `update webhook_deliveries\nset status = ?1\nwhere id = ?2`'],
        ['stores/sqlite/queue/mark.ts', 'const text = `update webhook_deliveries\nset status = ?1`'],
        [
          'stores/sqlite/queue/mark.ts',
          'const text = `update webhook_deliveries\nset status = ?1\nwhere id = ?2 and lease_owner = ?3`',
        ],
        [
          'stores/sqlite/queue/mark.ts',
          'const text = `update webhook_deliveries\nset lease_owner = null, lease_epoch = 5\nwhere id = ?2 and lease_epoch = ?3`',
        ],
        [
          'stores/shared/directory/operations.ts',
          'return sql`update ${deliveries}\nset status = ${status}\nwhere id = ${id}`',
        ],
        [
          'stores/postgres/queue/mark.ts',
          "const text = 'update app.webhook_deliveries d set status = v.status from v where d.id = v.id'",
        ],
      ],
      kept: [
        [
          'stores/sqlite/queue/mark.ts',
          'const text = `update webhook_deliveries\nset status = ?1\nwhere id = ?2 and lease_owner = ?3 and lease_epoch = ?4`',
        ],
        [
          'stores/shared/directory/operations.ts',
          'return sql`update ${deliveries}\nset lease_epoch = lease_epoch + 1\nwhere id = ${id}`',
        ],
        [
          'stores/postgres/queue/claim.ts',
          `const text = "update webhook_deliveries d set lease_until = $1 where id = $2 and lease_owner || '' = $3 and lease_epoch = $4"`,
        ],
        [
          'stores/postgres/queue/claim.ts',
          "const text = 'update webhook_deliveries d set lease_epoch = d.lease_epoch + 1 from due where d.id = due.id'",
        ],
        [
          'stores/shared/directory/operations.ts',
          'return sql`update ${table("endpoints")}\nset status = ${status}\nwhere id = ${id}`',
        ],
      ],
    },
  ],
  [
    'backoffInStores',
    backoffInStores,
    {
      broken: [
        ['stores/sqlite/queue/mark.ts', 'const text = `update x set next_retry_at = ?1 + 60000 * attempt_count`'],
        ['stores/sqlite/queue/mark.ts', 'const text = `update x set next_retry_at = ?1 + (60000 << attempt_count)`'],
        ['stores/postgres/queue/mark.ts', "const text = `update x set next_retry_at = now() + interval '60 s'`"],
        ['stores/postgres/queue/mark.ts', 'const text = `update x set next_retry_at = power(2, attempt_count)`'],
        ['stores/sqlite/queue/mark.ts', "import { delayAfter } from '../../../core/delivery/retry-policy.ts'"],
      ],
      kept: [
        [
          'stores/sqlite/queue/mark.ts',
          'const text = `update x set next_retry_at = ?7, lease_epoch = lease_epoch + 1`',
        ],
        [
          'stores/sqlite/queue/mark.ts',
          'const text = `update x set next_retry_at = ${now},\n  lease_epoch = lease_epoch + 1`',
        ],
        ['engine/deliver.ts', "import { delayAfter } from '../core/retry-policy.ts'"],
      ],
    },
  ],
  [
    'heartbeatLayers',
    heartbeatLayers,
    {
      broken: [
        ['stores/sqlite/queue/claim.ts', "import { heartbeatMs } from '../../core/lease.ts'"],
        ['stores/sqlite/queue/claim.ts', 'const text = `update x set lease_until = ?1`\nclock.after(5, renew)'],
        ['engine/heartbeat.ts', 'const text = `update x set lease_until = ?1`'],
        ['posthorn.ts', 'const beat = makeHeartbeat(parts)'],
        ['server/api.ts', 'await store.queue.renew({ leases })'],
      ],
      kept: [
        ['engine/heartbeat.ts', 'clock.after(heartbeatMs(leaseMs), beat)\nawait queue.renew(request)'],
        ['core/delivery/lease.ts', 'export function heartbeatMs(leaseMs: number): number {}'],
        ['stores/sqlite/queue/claim.ts', 'const text = `update x set lease_until = ?1`'],
        ['stores/postgres/deadline.ts', 'clock.after(5, giveUp)'],
        ['testing/failing-store.ts', 'return inner.queue.renew(request)'],
      ],
    },
  ],
])('%s', (_, check, { broken, kept }) => {
  test.each(broken)('finds what breaks it in %s: %s', (path, text) => {
    expect(check(path, text)).not.toEqual([])
    for (const violation of check(path, text)) expect(violation).toContain(path)
  })

  test.each(kept)('has nothing against %s: %s', (path, text) => {
    expect(check(path, text)).toEqual([])
  })
})

describe('readSource', () => {
  test.each([
    ['a comment', 'a // b\nc', 'a     \nc', []],
    ['a comment of several lines', 'a /* b\nc */ d', 'a     \n     d', []],
    ['strings', `a('b', "c")`, `a(' ', " ")`, ['b', 'c']],
    ['a quote within a string', String.raw`a('b\'c')`, `a('    ')`, [String.raw`b\'c`]],
    ['a template', 'a(`b`)', 'a(` `)', ['b']],
    ['a template with code in it', 'a(`b ${c({ d: 1 })} e`)', 'a(`  ${c({ d: 1 })}  `)', ['b ${c({ d: 1 })} e']],
    ['a template within a template', 'a(`b${c(`d`)}e`)', 'a(` ${c(` `)} `)', ['d', 'b${c(`d`)}e']],
    ['a comment sign within a string', "a('//b')", "a('   ')", ['//b']],
    ['a quote within a regular expression', `a(/['"/]/) + 'b'`, `a(/     /) + ' '`, ['b']],
    ['a division', "a / b / 'c'", "a / b / ' '", ['c']],
  ])('takes apart %s', (_, text, code, strings) => {
    const source = readSource(text)
    expect(source.code).toBe(code)
    expect(source.strings).toEqual(strings)
  })

  test('reads the imports of every form', () => {
    const text =
      "import a from 'a'\nimport type { B } from 'b'\nimport {\n  c,\n} from 'c'\nexport * from 'd'\nimport 'e'\nconst f = import('f')\n// import g from 'g'"
    expect(importsOf(readSource(text))).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })
})
