import { beforeAll, describe, expect, test } from 'vitest'
import { lanes } from '../../src/core/delivery/delivery.ts'
import { attemptId } from '../../src/core/ids.ts'
import type { AttemptFilter } from '../../src/core/ports/directory/deliveries.ts'
import type { MessageFilter } from '../../src/core/ports/directory/messages.ts'
import type { DeliveryFilter } from '../../src/core/ports/queue.ts'
import * as attempts from '../../src/stores/shared/directory/attempts.ts'
import type { Executor } from '../../src/stores/shared/sql/database.ts'
import {
  deadLetterGroups,
  dueBefore,
  endedLeases,
  listStatement,
} from '../../src/stores/shared/directory/deliveries.ts'
import { countsOf } from '../../src/stores/shared/directory/endpoints.ts'
import * as figures from '../../src/stores/shared/directory/figures.ts'
import { oldestRunning, walk } from '../../src/stores/shared/directory/jobs.ts'
import * as messages from '../../src/stores/shared/directory/messages.ts'
import { migrate } from '../../src/stores/shared/schema/migrate.ts'
import * as operations from '../../src/stores/shared/directory/operations.ts'
import { prune } from '../../src/stores/shared/upkeep/prune.ts'
import { render, sql, table } from '../../src/stores/shared/sql/sql.ts'
import type { Sql } from '../../src/stores/shared/sql/sql.ts'
import { selectDue } from '../../src/stores/sqlite/queue/claim.ts'
import { openConnection, sqliteDialect } from '../../src/stores/sqlite/connection.ts'
import type { Connection } from '../../src/stores/sqlite/connection.ts'
import { sqliteDatabase } from '../../src/stores/sqlite/database.ts'

let connection: Connection

beforeAll(async () => {
  connection = openConnection(':memory:')
  await migrate(sqliteDatabase(connection))
})

describe('a claim reads the rows it takes, in due order, from the index of its lane', () => {
  test.each(lanes)('%s', (lane) => {
    expect(planOf(selectDue(lane))).toEqual([
      `SEARCH d USING INDEX webhook_deliveries_${lane} (webhook_id=? AND <expr><?)`,
      // Only the workers of this process, of which there are few: looked through if a row is under a lease.
      'LIST SUBQUERY 1',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
      'CREATE BLOOM FILTER',
      'SEARCH m USING INDEX sqlite_autoindex_posthorn_messages_1 (id=?)',
    ])
  })
})

describe('the walk over endpoints steps through the index of its lane', () => {
  test.each(lanes)('%s', (lane) => {
    const searches = plan(operations.dueEndpoints({ lane, after: '', limit: 100 })).filter((step) =>
      step.includes('USING'),
    )
    expect(searches.map((step) => step.replace(/^SEARCH \w+ /, '')).filter((step) => step.startsWith('USING'))).toEqual(
      [
        `USING INDEX webhook_deliveries_${lane} (webhook_id>?)`,
        `USING INDEX webhook_deliveries_${lane} (webhook_id>?)`,
        `USING INDEX webhook_deliveries_${lane} (webhook_id=?)`,
      ],
    )
  })
})

describe('every list comes from an index', () => {
  const primaryKey = 'sqlite_autoindex_webhook_deliveries_1'
  // Sorted are only open rows, and the few deliveries of one message: never history.
  test.each<[DeliveryFilter, string, 'sorted' | 'in order']>([
    [{}, primaryKey, 'in order'],
    [{ since: 1, until: 2 }, primaryKey, 'in order'],
    [{ ids: ['a', 'b', 'c'] }, primaryKey, 'in order'],
    [{ status: 'delivered' }, primaryKey, 'in order'],
    [{ status: 'pending' }, 'webhook_deliveries_status_next_retry_at', 'sorted'],
    [{ status: 'failed' }, 'webhook_deliveries_status_next_retry_at', 'sorted'],
    [{ status: ['failed', 'pending'] }, 'webhook_deliveries_status_next_retry_at', 'sorted'],
    [{ status: 'dead' }, 'webhook_deliveries_dead', 'in order'],
    [{ status: 'dead', reason: 'exhausted' }, 'webhook_deliveries_dead', 'in order'],
    [{ endpointId: 'e' }, 'webhook_deliveries_of_endpoint', 'in order'],
    [{ endpointId: 'e', since: 5 }, 'webhook_deliveries_of_endpoint', 'in order'],
    [{ endpointId: 'e', status: 'failed' }, 'webhook_deliveries_failed', 'in order'],
    [{ endpointId: 'e', status: 'dead' }, 'webhook_deliveries_dead_of_endpoint', 'in order'],
    [{ applicationId: 'a', endpointId: 'e' }, 'webhook_deliveries_of_endpoint', 'in order'],
    [{ messageId: 'm' }, 'webhook_deliveries_of_message', 'sorted'],
  ])('%j from %s, %s', (filter, index, order) => {
    const [search = '', ...rest] = plan(listStatement(filter, { after: 'dlv_x', limit: 50 }))
    expect(search).toContain(`USING INDEX ${index} (`)
    expect(rest.filter((step) => step.includes('B-TREE'))).toEqual(
      order === 'sorted' ? ['USE TEMP B-TREE FOR ORDER BY'] : [],
    )
  })

  test.each<[DeliveryFilter, string]>([
    [{ applicationId: 'a' }, 'webhook_deliveries_of_endpoint'],
    [{ applicationId: 'a', type: 't', since: 5 }, 'webhook_deliveries_of_endpoint'],
    [{ applicationId: 'a', status: 'failed' }, 'webhook_deliveries_failed'],
    [{ applicationId: 'a', status: 'dead' }, 'webhook_deliveries_dead_of_endpoint'],
  ])('%j endpoint by endpoint, each from %s', (filter, index) => {
    const steps = plan(listStatement(filter, { after: 'dlv_x', limit: 50 }))
    expect(steps.find((step) => step.includes('webhook_id=?'))).toMatch(
      new RegExp(`INDEX ${index} \\(webhook_id=\\? AND id`),
    )
    expect(steps.filter((step) => step.startsWith('SCAN') || step.includes('B-TREE'))).toEqual([])
  })
})

describe('figures come from indexes, and never from all rows', () => {
  test.each<[string, Sql, string[]]>([
    ['dead letters of all', deadLetterGroups({}, 10), ['webhook_deliveries_dead']],
    ['dead letters of an endpoint', deadLetterGroups({ endpointId: 'e' }, 10), ['webhook_deliveries_dead_of_endpoint']],
    [
      'dead letters of an application',
      deadLetterGroups({ applicationId: 'a' }, 10),
      ['webhook_deliveries_dead_of_endpoint', 'posthorn_endpoints_of_application'],
    ],
    ['retries before one', dueBefore({ id: 'd', endpointId: 'e', nextRetryAt: 5 }, 10), ['webhook_deliveries_retries']],
    [
      'leases that ended',
      endedLeases(5, 10),
      ['webhook_deliveries_fresh', 'webhook_deliveries_retries', 'webhook_deliveries_suspects'],
    ],
    ['hours', figures.hoursOf(['e'], 5), ['posthorn_endpoint_minutes_of_endpoint']],
    [
      'backlogs',
      figures.backlogsOf(['e']),
      [
        'sqlite_autoindex_posthorn_endpoints_1',
        'webhook_deliveries_fresh',
        'webhook_deliveries_retries',
        'webhook_deliveries_suspects',
        'posthorn_endpoint_minutes_of_endpoint',
      ],
    ],
    [
      'failures',
      figures.failuresOf('e', 10),
      ['webhook_deliveries_of_endpoint', 'sqlite_autoindex_posthorn_attempts_1'],
    ],
    [
      'the last failure',
      figures.lastFailureOf('e', 10),
      ['webhook_deliveries_of_endpoint', 'sqlite_autoindex_posthorn_attempts_1'],
    ],
    ['the next retry', figures.nextRetryOf('e'), ['webhook_deliveries_retries']],
    ['stretches of time', figures.bucketsOf('e', 5, 900_000), ['posthorn_endpoint_minutes_of_endpoint']],
    [
      'last attempts',
      attempts.lastAttempts(['a', 'b']),
      ['sqlite_autoindex_posthorn_attempts_1', 'sqlite_autoindex_posthorn_attempts_1'],
    ],
  ])('%s', (_, statement, wanted) => {
    expect(indexes(statement)).toEqual(wanted)
    expect(rowScans(statement)).toEqual([])
  })

  test.each([undefined, 'a'])('the depth of the queue, of %s', (applicationId) => {
    const statement = figures.depthStatement(5, applicationId)
    expect(rowScans(statement)).toEqual([])
    const used = indexes(statement).filter((name) => name.startsWith('webhook_deliveries'))
    expect(used.toSorted()).toEqual([
      applicationId === undefined ? 'webhook_deliveries_dead' : 'webhook_deliveries_dead_of_endpoint',
      ...Array.from({ length: 3 }, () => 'webhook_deliveries_fresh'),
      ...Array.from({ length: 3 }, () => 'webhook_deliveries_retries'),
      ...Array.from({ length: 3 }, () => 'webhook_deliveries_suspects'),
    ])
  })

  test('endpoints that fail', () => {
    expect(indexes(sql`select * from ${table('endpoints')} ${figures.failingFirst(undefined, 20)}`)[0]).toBe(
      'posthorn_endpoint_health_failing',
    )
  })
})

describe('the lists of messages and attempts walk in order, from an index', () => {
  const page = { after: null, limit: 50 }
  const ofApplication = 'SEARCH posthorn_messages USING INDEX posthorn_messages_of_application'

  test.each<[MessageFilter]>([
    [{ applicationId: 'a' }],
    [{ applicationId: 'a', since: 5, until: 9 }],
    [{ applicationId: 'a', types: ['t'], channel: 'c' }],
  ])('messages %j', (filter) => {
    for (const order of ['ascending', 'descending'] as const) {
      const steps = [
        ...plan(messages.listMessages(filter, { ...page, after: 'msg_1', order }, 'msg_2')),
        ...plan(messages.countMessages(filter, 10)),
      ].filter((step) => !/^(SCAN counted|CO-ROUTINE|SUBQUERY|LIST SUBQUERY)/.test(step))
      for (const step of steps) expect(step.replace('COVERING ', '')).toContain(ofApplication)
      expect(plan(messages.walkEnd(filter, { ...page, order }))[0]).toContain(
        'USING COVERING INDEX posthorn_messages_of_application',
      )
    }
  })

  test('messages that an endpoint has no delivery of', () => {
    const filter = { applicationId: 'a', missingAt: 'ep_1' }
    const [scan, look] = plan(messages.listMessages(filter, { ...page, after: 'msg_1', order: 'ascending' }, 'msg_2'))
    expect(scan).toContain(ofApplication)
    expect(look).toContain('SEARCH d USING INDEX webhook_deliveries_of_message (message_id=?)')
  })

  test('a message by its event id', () => {
    const statement = sql`select id from ${table('messages')} where application_id = ${'a'} and event_id = ${'e'}`
    expect(plan(statement)).toEqual([
      'SEARCH posthorn_messages USING INDEX posthorn_messages_event_id (application_id=? AND event_id=?)',
    ])
  })

  test.each<[AttemptFilter, string]>([
    [{ endpointId: 'e' }, 'webhook_deliveries_of_endpoint'],
    [{ endpointId: 'e', succeeded: false, types: ['t'], until: 5, since: 3 }, 'webhook_deliveries_of_endpoint'],
    [{ endpointId: 'e', channel: 'c', statusCodeClass: 0 }, 'webhook_deliveries_of_endpoint'],
    [{ messageId: 'm' }, 'webhook_deliveries_of_message'],
  ])('attempts %j from %s', (filter, index) => {
    const after = attemptId('dlv_0123456789012345678', 3)
    const steps = plan(attempts.listAttempts(filter, { ...page, after }, 'dlv_2'))
    expect(steps.slice(0, 2)).toEqual([
      'MATERIALIZE walked',
      expect.stringContaining(`SEARCH d USING INDEX ${index} (`),
    ])
    expect(steps.slice(2, 4)).toEqual([
      'SCAN d',
      expect.stringContaining('SEARCH a USING INDEX sqlite_autoindex_posthorn_attempts_1 (delivery_id=?'),
    ])
    expect(steps.slice(4).filter((step) => step.startsWith('SCAN'))).toEqual([])
    expect(plan(attempts.walkEnd(filter, { ...page, after }))[0]).toContain(`SEARCH d USING`)
  })

  test('the counts of an endpoint', () => {
    const steps = plan(countsOf('e', 1, 2)).filter((step) => step.startsWith('SEARCH'))
    expect(steps.map((step) => step.replace(/^.* USING (COVERING )?INDEX (\w+) .*$/, '$2'))).toEqual([
      'posthorn_endpoint_minutes_of_endpoint',
      'posthorn_endpoint_minutes_of_endpoint',
      'webhook_deliveries_dead_of_endpoint',
      'webhook_deliveries_fresh',
      'webhook_deliveries_retries',
      'webhook_deliveries_suspects',
      'webhook_deliveries_fresh',
    ])
  })

  test('the oldest job that runs', () => {
    expect(plan(oldestRunning(''))).toEqual(['SEARCH posthorn_jobs USING INDEX posthorn_jobs_running (id>?)'])
  })
})

describe('a batch of a job walks in the order of ids, and sorts nothing', () => {
  test.each<[DeliveryFilter, string]>([
    [{}, 'sqlite_autoindex_webhook_deliveries_1'],
    [{ status: ['pending', 'failed'] }, 'sqlite_autoindex_webhook_deliveries_1'],
    [{ applicationId: 'a', type: 't' }, 'sqlite_autoindex_webhook_deliveries_1'],
    [{ endpointId: 'e' }, 'webhook_deliveries_of_endpoint'],
    [{ endpointId: 'e', status: 'failed', since: 5 }, 'webhook_deliveries_of_endpoint'],
    [{ status: 'dead' }, 'webhook_deliveries_dead'],
    [{ status: 'dead', endpointId: 'e' }, 'webhook_deliveries_dead_of_endpoint'],
  ])('%j by %s', (filter, index) => {
    const steps = plan(walk({ work: { action: 'requeue', filter }, cursor: 'dlv_1' }, 100))
    expect(steps.filter((step) => step.includes('webhook_deliveries'))).toEqual([
      expect.stringContaining(`SEARCH webhook_deliveries USING INDEX ${index} (`),
    ])
    const walked = steps.slice(
      0,
      steps.findIndex((step) => step.startsWith('MATERIALIZE picked')),
    )
    expect(walked.filter((step) => step.includes('B-TREE'))).toEqual([])
  })

  test('and changes what it picked by id', async () => {
    const request = { filter: { ids: ['a', 'b'] }, now: 1, limit: 10 }
    const steps = await plansOf(async (tx) => {
      await operations.requeueRows(tx, request)
      await operations.cancelRows(tx, { ...request, as: 'cancelled' })
    })
    const searches = steps.filter((step) => step.includes('webhook_deliveries'))
    expect(searches).toHaveLength(6)
    for (const search of searches) expect(search).toContain('INDEX sqlite_autoindex_webhook_deliveries_1 (id=?')
  })
})

describe('no batch of an operator or the pruner reads the whole table', () => {
  const request = { now: 1, limit: 10, by: { name: 'anna' } }

  test('cancel goes through the lanes, so that the next batch does not read over what is ended', async () => {
    const steps = await plansOf((tx) => operations.cancel(tx, { ...request, filter: { endpointId: 'e' }, as: 'gone' }))
    expect(steps.filter((step) => step.includes('webhook_id=?'))).toEqual([
      'SEARCH webhook_deliveries USING INDEX webhook_deliveries_fresh (webhook_id=?)',
      'SEARCH webhook_deliveries USING INDEX webhook_deliveries_retries (webhook_id=?)',
      'SEARCH webhook_deliveries USING INDEX webhook_deliveries_suspects (webhook_id=?)',
    ])
  })

  test('requeue of dead letters goes through those', async () => {
    const steps = await plansOf((tx) =>
      operations.requeue(tx, { ...request, filter: { status: 'dead', endpointId: 'e' } }),
    )
    expect(steps).toContain('SEARCH webhook_deliveries USING INDEX webhook_deliveries_dead_of_endpoint (webhook_id=?)')
  })

  test('prune reads by age', async () => {
    const ages = { before: 10 ** 12, deadBefore: 10 ** 12, auditBefore: 10 ** 12, now: 10 ** 12, limit: 10 }
    const steps = await plansOf((tx) => prune(tx, ages))
    const small = [
      'SCAN posthorn_endpoint_secrets',
      'SCAN posthorn_keys',
      'SCAN posthorn_rate_limits',
      'SCAN picked',
      'SCAN walked',
      'SCAN batch',
      'SCAN CONSTANT ROW',
    ]
    const scans = steps.filter((step) => step.startsWith('SCAN') && !small.some((start) => step.startsWith(start)))
    expect(scans).toEqual([])
    for (const step of [
      'SEARCH webhook_deliveries USING INDEX sqlite_autoindex_webhook_deliveries_1 (id>? AND id<?)',
      'SEARCH webhook_deliveries USING INDEX webhook_deliveries_dead (id>? AND id<?)',
      'SEARCH posthorn_messages USING INDEX sqlite_autoindex_posthorn_messages_1 (id>? AND id<?)',
      'SEARCH d USING COVERING INDEX webhook_deliveries_of_message (message_id=?)',
    ])
      expect(steps).toContain(step)
  })
})

function plan(statement: Sql): string[] {
  const { text, values } = render(statement, sqliteDialect)
  return planOf(text, values)
}

function planOf(text: string, values: ReturnType<typeof render>['values'] = []): string[] {
  return (
    connection
      .prepare(`explain query plan ${text}`)
      .all(...values)
      .map((row) => String(row['detail']))
      // Applications that are being erased: hardly ever any, and asked beside.
      .filter((step) => !/posthorn_erasures|^(SEARCH|SCAN) [xo]\b|SCALAR SUBQUERY/.test(step))
  )
}

/** The plans of all statements that some work would run. */
async function plansOf(work: (tx: Executor) => Promise<unknown>): Promise<string[]> {
  const steps: string[] = []
  await work({
    query: async (statement) => {
      steps.push(...plan(statement))
      return []
    },
    run: async (statement) => {
      steps.push(...plan(statement))
      return 0
    },
  })
  return steps
}

function indexes(statement: Sql): string[] {
  return plan(statement).flatMap((step) => /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1] ?? [])
}

function rowScans(statement: Sql): string[] {
  return plan(statement).filter(
    (step) =>
      /^SCAN (webhook_deliveries|posthorn_attempts|posthorn_endpoint_minutes|posthorn_messages|d|a|m)\b/.test(step) &&
      !step.includes('USING'),
  )
}
