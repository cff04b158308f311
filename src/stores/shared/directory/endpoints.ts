import { withoutDeadSecrets } from '../../../core/endpoint/endpoint.ts'
import type { Endpoint, EndpointWithLimits } from '../../../core/endpoint/endpoint.ts'
import { expected, PosthornError } from '../../../core/errors.ts'
import { firstIdAt } from '../../../core/ids.ts'
import type { Actor, AuditNote } from '../../../core/ports/audit.ts'
import type {
  EndpointChange,
  EndpointCounts,
  EndpointDirectory,
  SecretRotation,
} from '../../../core/ports/directory/endpoints.ts'
import type { Secret } from '../../../core/signing/signature.ts'
import { minute } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { raiseEndpointsVersion, takenUid } from './applications.ts'
import type { Database, Executor, Row } from '../sql/database.ts'
import { renewHealth } from '../health.ts'
import { fresh, retries, suspects } from '../sql/lanes.ts'
import { failingFirst, figureDirectory } from './figures.ts'
import { toOwnedEndpoint } from '../rows/figure-rows.ts'
import { record } from '../audit.ts'
import { containing } from '../sql/like.ts'
import { pageOf } from '../sql/page.ts'
import {
  fromEndpoint,
  fromSealedSecret,
  toEndpoint,
  toEndpointCounts,
  toEndpointsVersion,
  toEndpointWithLimits,
  toId,
  toSealedSecret,
  toSubscriber,
} from '../rows/rows.ts'
import type { SealedSecret } from '../rows/rows.ts'
import { blankRow, openedRow, sealedRow, withoutSealed } from '../rows/sealed-columns.ts'
import type { Vault } from '../secrets.ts'
import { assignments, forUpdate, insertInto, listOf, sql, table } from '../sql/sql.ts'
import type { Sql, Value } from '../sql/sql.ts'

const endpoints = table('endpoints')
const secrets = table('endpoint_secrets')
const living = sql`status <> 'deleted'`
const idsPerQuery = 1_000
const mostCounted = 100_000
const noCounts: EndpointCounts = { delivered: 0, dead: 0, cancelled: 0, fresh: 0, retrying: 0 }

/** Endpoints with their secrets. Every change raises the version of the application's endpoint list. */
export function endpointDirectory(database: Database, vault: Vault): EndpointDirectory {
  return {
    createEndpoint: (endpoint, by) => database.transaction((tx) => create(tx, vault, endpoint, by)),
    async endpoint(applicationId, idOrUid) {
      const named = sql`application_id = ${applicationId} and (id = ${idOrUid} or uid = ${idOrUid})`
      const found = await select(
        database,
        vault,
        sql`where ${applicationId === null ? sql`id = ${idOrUid}` : named} and ${living}
order by case when id = ${idOrUid} then 0 else 1 end
limit 1`,
      )
      return found[0] ?? null
    },
    listEndpoints({ applicationId, text }, page) {
      const conditions = [living]
      if (text !== undefined)
        conditions.push(
          sql`lower(url || ' ' || description || ' ' || coalesce(uid, '')) like ${containing(text.toLowerCase())} escape '!'`,
        )
      if (applicationId !== undefined) conditions.push(sql`application_id = ${applicationId}`)
      return select(database, vault, pageOf(page, 'ascending', conditions))
    },
    async endpointsOf(applicationIds, mostEach) {
      if (applicationIds.length === 0) return []
      return (await database.query(ownedEndpoints(applicationIds, mostEach))).map(toOwnedEndpoint)
    },
    updateEndpoint: (id, change, now, audited) =>
      database.transaction((tx) => update(tx, vault, { id, change, now, audited })),
    rotateSecret: (rotation) => database.transaction((tx) => rotate(tx, vault, rotation)),
    async endpointsById(ids) {
      const found: EndpointWithLimits[] = []
      for (let start = 0; start < ids.length; start += idsPerQuery) {
        found.push(...(await selectWithLimits(database, vault, ids.slice(start, start + idsPerQuery))))
      }
      const byId = new Map(found.map((endpoint) => [endpoint.id, endpoint]))
      return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
    },
    matching: (applicationId) => database.transaction((tx) => matching(tx, applicationId)),
    async endpointCounts(endpointId, since, until) {
      const [row] = await database.query(countsOf(endpointId, since, until))
      return row === undefined ? noCounts : toEndpointCounts(row)
    },
    failingEndpoints: ({ applicationId }, limit) => select(database, vault, failingFirst(applicationId, limit)),
    ...figureDirectory(database),
  }
}

/** Read through the index of each application's endpoints. */
function ownedEndpoints(applicationIds: readonly string[], mostEach: number): Sql {
  return sql`select id, application_id, status, status_reason, status_since, among
from (
  select id, application_id, status, status_reason, status_since,
    row_number() over (partition by application_id order by id) as place,
    count(*) over (partition by application_id) as among
  from ${endpoints}
  where application_id in ${listOf(applicationIds)} and ${living}) owned
where place <= ${mostEach}
order by application_id, id`
}

async function create(tx: Executor, vault: Vault, endpoint: Endpoint, by?: Actor): Promise<Endpoint> {
  const { id, applicationId } = endpoint
  if (!(await raiseEndpointsVersion(tx, applicationId))) {
    const advice = 'Create the application first.'
    throw expected('not_found', 'applicationId', 'that of an application', applicationId, advice)
  }
  await refuseTakenUid(tx, endpoint)
  await tx.run(insertInto('endpoints', sealedRow('endpoints', vault, fromEndpoint(endpoint))))
  for (const secret of endpoint.secrets) await tx.run(insertSecret(vault, id, secret))
  const about = { target: id, applicationId, at: endpoint.createdAt, after: endpoint }
  if (by !== undefined) await record(tx, { action: 'endpoint.create', ...about, by })
  return endpoint
}

interface EndpointUpdate {
  readonly id: string
  readonly change: EndpointChange
  readonly now: Instant
  readonly audited?: AuditNote | undefined
}

async function update(
  tx: Executor,
  vault: Vault,
  { id, change, now, audited }: EndpointUpdate,
): Promise<Endpoint | null> {
  const endpoint = await livingEndpoint(tx, vault, id)
  if (endpoint === null) return null
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const changed: Endpoint = { ...endpoint, ...given, updatedAt: now }
  const next = withoutDeadSecrets(changed.status === endpoint.status ? changed : { ...changed, statusSince: now })
  await refuseTakenUid(tx, next)
  await tx.run(sql`update ${endpoints} set ${assignments(storedRow(vault, endpoint, next))} where id = ${id}`)
  if (next.status === 'deleted') await tx.run(sql`delete from ${secrets} where endpoint_id = ${id}`)
  await renewHealth(tx, { before: endpoint, after: next, isEnabled: change.status === 'active', now })
  await raiseEndpointsVersion(tx, endpoint.applicationId)
  const { applicationId } = endpoint
  if (audited !== undefined)
    await record(tx, { ...audited, target: id, applicationId, at: now, before: endpoint, after: next })
  return next
}

/** Values that cannot be decrypted stay unchanged, unless they are replaced or their endpoint is deleted. */
function storedRow(vault: Vault, before: Endpoint, after: Endpoint): Record<string, Value> {
  const row = sealedRow('endpoints', vault, fromEndpoint(after))
  if (before.unreadable === undefined || after.status === 'deleted') return row
  return withoutSealed(row, (name) => before[name] === after[name])
}

async function rotate(tx: Executor, vault: Vault, rotation: SecretRotation): Promise<Endpoint | null> {
  const { endpointId, secret, othersEndAt, now, by } = rotation
  const endpoint = await livingEndpoint(tx, vault, endpointId)
  if (endpoint === null) return null
  // A secret that already expires earlier keeps its expiry: a rotation must not revive it.
  await tx.run(sql`update ${secrets}
set expires_at = ${othersEndAt}
where endpoint_id = ${endpointId} and (expires_at is null or expires_at > ${othersEndAt})`)
  await tx.run(insertSecret(vault, endpointId, secret))
  await tx.run(sql`update ${endpoints} set updated_at = ${now} where id = ${endpointId}`)
  const { applicationId } = endpoint
  if (by !== undefined) await record(tx, { action: 'rotate', target: endpointId, applicationId, at: now, by })
  await raiseEndpointsVersion(tx, applicationId)
  return livingEndpoint(tx, vault, endpointId)
}

/** Reads version and list in one transaction: a change between the two would go unnoticed. */
async function matching(tx: Executor, applicationId: string): ReturnType<EndpointDirectory['matching']> {
  const [row] = await tx.query(endpointsVersion(applicationId))
  if (row === undefined) return null
  const found = await tx.query(subscribersOf(applicationId))
  return { endpointsVersion: toEndpointsVersion(row), endpoints: found.map(toSubscriber) }
}

export function endpointsVersion(applicationId: string): Sql {
  return sql`select endpoints_version from ${table('applications')} where id = ${applicationId}`
}

export function subscribersOf(applicationId: string): Sql {
  return sql`select id, url, status, types, channels, filter, policy
from ${endpoints}
where application_id = ${applicationId} and ${living}
order by id`
}

/**
 * Delivered and dead deliveries come from the rollups, which count by the minute; the rest from the endpoint's own partial indexes, up to a
 * bound.
 */
export function countsOf(endpointId: string, since: Instant, until: Instant): Sql {
  const made = sql`webhook_id = ${endpointId} and id >= ${firstIdAt('dlv', since)} and id < ${firstIdAt('dlv', until)}`
  // By time, not by id: with the id, SQLite would read all rows of the endpoint instead of the open ones.
  const open = sql`webhook_id = ${endpointId} and created_at >= ${since} and created_at < ${until}`
  const ended = sql`from ${table('endpoint_minutes')}
    where endpoint_id = ${endpointId} and minute >= ${since - (since % minute)} and minute < ${until}`
  const deliveries = table('webhook_deliveries')
  return sql`select
  (select coalesce(sum(delivered), 0) ${ended}) as delivered,
  (select coalesce(sum(dead), 0) ${ended}) as dead,
  (select count(*) ${counted(sql`select 1 from ${deliveries} where status = 'dead' and ${made} and reason not in ('exhausted', 'crashed')`)}) as cancelled,
  (select count(*) ${counted(sql`select 1 from ${deliveries} where ${fresh} and ${open} and lease_owner is null`)}) as fresh,
  (select count(*) ${counted(sql`select 1 from ${deliveries} where ${retries} and ${open}`)})
    + (select count(*) ${counted(sql`select 1 from ${deliveries} where ${suspects} and ${open}`)})
    + (select count(*) ${counted(sql`select 1 from ${deliveries} where ${fresh} and ${open} and lease_owner is not null`)}) as retrying`
}

function counted(rows: Sql): Sql {
  return sql`from (${rows} limit ${mostCounted}) counted`
}

async function refuseTakenUid(tx: Executor, { id, applicationId, uid, status }: Endpoint): Promise<void> {
  if (uid === null || status === 'deleted') return
  const others = await tx.query(sql`select 1 from ${endpoints}
where application_id = ${applicationId} and uid = ${uid} and id <> ${id} and ${living}`)
  if (others.length > 0) throw takenUid(uid)
}

function insertSecret(vault: Vault, endpointId: string, secret: Secret): Sql {
  return insertInto(
    'endpoint_secrets',
    fromSealedSecret({ ...secret, endpointId, value: vault.seal(endpointId, secret.id, secret.value) }),
  )
}

async function livingEndpoint(tx: Executor, vault: Vault, id: string): Promise<Endpoint | null> {
  const found = await select(tx, vault, sql`where id = ${id} and ${living} ${forUpdate}`)
  return found[0] ?? null
}

async function select(from: Pick<Executor, 'query'>, vault: Vault, rest: Sql): Promise<Endpoint[]> {
  const rows = await from.query(sql`select * from ${endpoints} ${rest}`)
  const sealed = await sealedSecretsOf(from, rows.map(toId))
  return rows.map((row) => opened(vault, row, sealed.get(toId(row)) ?? [], toEndpoint))
}

/** Both at once: a delivery waits for this answer. Whoever knows an id has seen its endpoint committed, with its secrets. */
async function selectWithLimits(
  from: Pick<Executor, 'query'>,
  vault: Vault,
  ids: readonly string[],
): Promise<EndpointWithLimits[]> {
  const [rows, sealed] = await Promise.all([
    from.query(sql`select e.*, (select a.rate_per_second from ${table('applications')} a where a.id = e.application_id) as application_rate_per_second
from ${endpoints} e
where e.id in ${listOf(ids)}`),
    sealedSecretsOf(from, ids),
  ])
  return rows.map((row) => opened(vault, row, sealed.get(toId(row)) ?? [], toEndpointWithLimits))
}

/** One row with a missing key must not block the others: its endpoint is returned without secrets, and says why. */
function opened<Read extends Endpoint>(
  vault: Vault,
  row: Row,
  sealed: readonly SealedSecret[],
  read: (row: Row, secrets: readonly Secret[]) => Read,
): Read {
  try {
    const secretsOfRow = sealed.map(({ endpointId, ...secret }) => ({
      ...secret,
      value: vault.open(endpointId, secret.id, secret.value),
    }))
    return read(openedRow('endpoints', vault, row), secretsOfRow)
  } catch (thrown) {
    if (!(thrown instanceof PosthornError) || thrown.code !== 'secrets_unreadable') throw thrown
    return { ...read(blankRow(row), []), unreadable: thrown.message }
  }
}

/** Grouped by endpoint, newest first. */
async function sealedSecretsOf(
  from: Pick<Executor, 'query'>,
  ids: readonly string[],
): Promise<Map<string, SealedSecret[]>> {
  const byEndpoint = new Map<string, SealedSecret[]>()
  for (let start = 0; start < ids.length; start += idsPerQuery) {
    const found = await from.query(sql`select id, endpoint_id, sealed, created_at, expires_at
from ${secrets}
where endpoint_id in ${listOf(ids.slice(start, start + idsPerQuery))}
order by created_at desc, id desc`)
    for (const secret of found.map(toSealedSecret))
      byEndpoint.set(secret.endpointId, [...(byEndpoint.get(secret.endpointId) ?? []), secret])
  }
  return byEndpoint
}
