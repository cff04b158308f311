import { beforeAll, describe, expect, test } from 'vitest'
import { lanes } from '../../src/core/delivery/delivery.ts'
import type { AlarmReadingsRequest } from '../../src/core/ports/alarms.ts'
import { disabledStatement, dueStatement, endedStatement, failingStatement } from '../../src/stores/shared/alarms.ts'
import { migrate } from '../../src/stores/shared/schema/migrate.ts'
import { render } from '../../src/stores/shared/sql/sql.ts'
import type { Sql } from '../../src/stores/shared/sql/sql.ts'
import { openConnection, sqliteDialect } from '../../src/stores/sqlite/connection.ts'
import type { Connection } from '../../src/stores/sqlite/connection.ts'
import { sqliteDatabase } from '../../src/stores/sqlite/database.ts'

let connection: Connection

beforeAll(async () => {
  connection = openConnection(':memory:')
  await migrate(sqliteDatabase(connection))
})

// They are read every 15 seconds, however many rows there are.
describe.each([null, 'app_1'])('what alarms are made of comes from indexes, without %s', (except) => {
  const request: AlarmReadingsRequest = {
    now: 9,
    windowMs: 5,
    mostDue: 100,
    mostSubjects: 10,
    failingBefore: 3,
    leastFailedAttempts: 10,
    disabledSince: 1,
    disabledBecause: ['gone', 'failing'],
    except,
  }

  test.each(lanes)('the rows that are due, from the index of their lane (%s)', (lane) => {
    const reads = plan(dueStatement(lane, request)).filter((step) => step.includes('webhook_deliveries'))
    expect(reads).toHaveLength(4)
    for (const read of reads) expect(read).toMatch(new RegExp(`^SEARCH .*INDEX webhook_deliveries_${lane}\\b`))
  })

  test.each<[string, Sql, string]>([
    ['what ended', endedStatement(request), 'sqlite_autoindex_posthorn_endpoint_minutes_1'],
    ['endpoints that fail', failingStatement(request), 'posthorn_endpoint_health_failing'],
    ['endpoints that were disabled', disabledStatement(request), 'posthorn_endpoints_disabled'],
  ])('%s', (_, statement, index) => {
    const steps = plan(statement)
    expect(steps.find((step) => step.includes(index))).toMatch(/^SEARCH/)
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([])
  })
})

function plan(statement: Sql): string[] {
  const { text, values } = render(statement, sqliteDialect)
  return connection
    .prepare(`explain query plan ${text}`)
    .all(...values)
    .map((row) => String(row['detail']))
}
