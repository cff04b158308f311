import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { ErrorCode, Store } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import { onTestFinished } from 'vitest'
import { claimText } from '../../src/stores/postgres/queue/claim.ts'
import { postgresDialect } from '../../src/stores/postgres/database.ts'
import { selectDue } from '../../src/stores/sqlite/queue/claim.ts'
import { isFast, lentSchema } from '../postgres.ts'

/** A row of `webhook_deliveries` as plain SQL gives it. */
export type Row = Record<string, string | number | null>

/** A database that every acceptance test runs on. `query` is another connection: rows are set up and compared by plain SQL. */
export interface Database {
  readonly name: string
  open(): Promise<OpenDatabase>
}

export interface OpenDatabase {
  store(): Store
  /** With which a command of its own opens the same database. */
  readonly environment: Readonly<Record<string, string>>
  query(sql: string, ...values: (string | number | null)[]): Promise<Row[]>
  /** From now on the database refuses to prolong a lease, and nothing else; answers with the code that the store makes of it. */
  refuseRenewals(): Promise<ErrorCode>
  /** The columns of every index on `webhook_deliveries`. */
  indexes(): Promise<string[][]>
  /** The statements with which the store looks for due rows, of both lanes. */
  readonly dueStatements: readonly string[]
  /** How the database would find the rows of a statement: the index of each search, or `whole table` if it reads all deliveries. */
  searches(sql: string): Promise<string[]>
}

const secretsKey = Buffer.alloc(32, 7)

const onSqlite: Database = {
  name: 'sqlite',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-'))
    const file = join(folder, 'webhooks.db')
    let other: InstanceType<typeof DatabaseSync> | null = null
    onTestFinished(() => {
      other?.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const query: OpenDatabase['query'] = async (sql, ...values) => {
      // A process of its own may be writing.
      other ??= new DatabaseSync(file, { timeout: 10_000 })
      return other.prepare(sql).all(...values) as Row[]
    }
    return {
      store: () => sqlite(file, { secretsKey, synchronous: 'off' }),
      environment: { POSTHORN_DATABASE_URL: `sqlite:${file}`, POSTHORN_SECRETS_KEY: secretsKey.toString('base64') },
      query,
      async refuseRenewals() {
        await query(`create trigger refuse_renewals before update on webhook_deliveries
when new.lease_until > old.lease_until
begin select raise(abort, 'no renewals'); end`)
        // What a trigger refuses is refused as data.
        return 'data_refused'
      },
      async indexes() {
        const list = await query(`select name from pragma_index_list('webhook_deliveries')`)
        const columns = list.map(({ name }) =>
          query(`select name from pragma_index_info(?) order by seqno`, name ?? null),
        )
        return (await Promise.all(columns)).map((rows) => rows.map(({ name }) => String(name)))
      },
      dueStatements: [selectDue('fresh'), selectDue('retries'), selectDue('suspects')],
      async searches(sql) {
        const steps = (await query(`explain query plan ${sql}`)).map(({ detail }) => String(detail))
        // The list of who is attached is no table.
        const found = steps.filter((step) => /^(SEARCH|SCAN)/.test(step) && !step.includes('json_each'))
        // A skip over `ANY` value of the first column reads the index from end to end, too.
        return found.map(
          (step) => /^SEARCH .* USING (?:COVERING )?INDEX (\w+) \((?!ANY)/.exec(step)?.[1] ?? 'whole table',
        )
      },
    }
  },
}

const onPostgres: Database = {
  name: 'postgres',
  async open() {
    const { url, schema, query } = lentSchema()
    return {
      // Nobody else is there to be looked for between ticks, and an hour by hand would be 14,400 looks.
      store: () => ({ ...postgres(url, { schema, secretsKey }), lookMs: null }),
      query: async (sql, ...values) => (await query(translated(sql), values)) as Row[],
      environment: {
        POSTHORN_DATABASE_URL: url,
        POSTHORN_SCHEMA: schema,
        POSTHORN_SECRETS_KEY: secretsKey.toString('base64'),
      },
      async refuseRenewals() {
        await query(`create function refuse_renewals() returns trigger language plpgsql
as $$ begin raise exception 'no renewals' using errcode = 'disk_full'; end $$`)
        await query(`create trigger refuse_renewals before update on webhook_deliveries
for each row when (new.lease_until > old.lease_until) execute function refuse_renewals()`)
        return 'store_full'
      },
      async indexes() {
        const rows = await query(`select array(
  select pg_get_indexdef(indexrelid, place, true)
  from generate_series(1, indnatts) place
  order by place) as columns
from pg_index
where indrelid = 'webhook_deliveries'::regclass`)
        return rows.map(({ columns }) => columns as string[])
      },
      dueStatements: [claimText(postgresDialect(schema))],
      async searches(sql) {
        // The plan for any values, which a prepared statement may be given.
        const rows = await query(`explain (generic_plan, format json) ${sql}`)
        return rows.flatMap((row) => row['QUERY PLAN'] as { Plan: Plan }[]).flatMap(({ Plan }) => searchesOf(Plan))
      },
    }
  },
}

/** Statements are written in the words of SQLite: its placeholders, and its prefix in the place of a schema. */
function translated(sql: string): string {
  let place = 0
  return sql.replaceAll(/\bposthorn_/g, '').replaceAll('?', () => `$${(place += 1)}`)
}

interface Plan {
  readonly 'Node Type'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Plan[]
}

function searchesOf(plan: Plan): string[] {
  const isWhole = plan['Node Type'] === 'Seq Scan' && plan['Relation Name'] === 'webhook_deliveries'
  const own = isWhole ? 'whole table' : (plan['Index Name'] ?? [])
  return [own, (plan.Plans ?? []).flatMap(searchesOf)].flat()
}

export const databases: readonly Database[] = isFast ? [onSqlite] : [onSqlite, onPostgres]
