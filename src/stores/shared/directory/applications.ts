import { operationsUid } from '../../../core/alarms/operational.ts'
import type { Application } from '../../../core/endpoint/endpoint.ts'
import { PosthornError } from '../../../core/errors.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import type { ApplicationDirectory } from '../../../core/ports/directory/applications.ts'
import { record } from '../audit.ts'
import type { Audited } from '../audit.ts'
import type { Database, Executor } from '../sql/database.ts'
import { contains } from '../sql/like.ts'
import { pageOf } from '../sql/page.ts'
import { eraseApplication } from '../upkeep/erase-application.ts'
import { fromApplication, toApplication, toId } from '../rows/rows.ts'
import { assignments, forUpdate, insertInto, listOf, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

const applications = table('applications')
const columns = raw('id, uid, name, metadata, rate_per_second, created_at, updated_at')

export function applicationDirectory(database: Database): ApplicationDirectory {
  return {
    createApplication: (application, by) =>
      database.transaction(async (tx) => {
        if (application.uid !== null) await refuseTakenUid(tx, application.uid, application.id)
        await tx.run(insertInto('applications', fromApplication(application)))
        if (by !== undefined) await record(tx, applicationCreated(application, by))
        return application
      }),
    async application(idOrUid) {
      const [row] = await database.query(applicationNamed(idOrUid))
      return row === undefined ? null : toApplication(row)
    },
    async listApplications(page, text) {
      const conditions = [sql`(uid is null or uid <> ${operationsUid})`]
      if (text !== undefined) conditions.push(contains(raw(`name || ' ' || coalesce(uid, '') || ' ' || id`), text))
      const rows = await database.query(
        sql`select ${columns} from ${applications} ${pageOf(page, 'ascending', conditions)}`,
      )
      return rows.map(toApplication)
    },
    updateApplication: (id, change, now, by) =>
      database.transaction(async (tx) => {
        const [row] = await tx.query(sql`select ${columns} from ${applications} where id = ${id} ${forUpdate}`)
        if (row === undefined) return null
        const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const before = toApplication(row)
        const next: Application = { ...before, ...given, updatedAt: now }
        if (next.uid !== null) await refuseTakenUid(tx, next.uid, id)
        // Anyone who matched by the old uid must match again: it may belong to another application from now on.
        await tx.run(sql`update ${applications}
set ${assignments(fromApplication(next))}, endpoints_version = endpoints_version + 1
where id = ${id}`)
        if (by !== undefined)
          await record(tx, { action: 'application.update', ...about(id), at: now, by, before, after: next })
        return next
      }),
    eraseApplication: (job, by) => database.transaction((tx) => eraseApplication(tx, job, by)),
    async applicationsAmong(ids) {
      if (ids.length === 0) return []
      return (await database.query(sql`select id from ${applications} where id in ${listOf(ids)}`)).map(toId)
    },
  }
}

/** The audit entry of a new application. */
export function applicationCreated(application: Application, by: Actor): Audited {
  return { action: 'application.create', ...about(application.id), at: application.createdAt, by, after: application }
}

function about(id: string): Pick<Audited, 'target' | 'applicationId'> {
  return { target: id, applicationId: id }
}

/** An application with this id takes precedence over one with this uid. */
export function applicationNamed(idOrUid: string): Sql {
  return sql`select ${columns}
from ${applications}
where id = ${idOrUid} or uid = ${idOrUid}
order by case when id = ${idOrUid} then 0 else 1 end
limit 1`
}

/** Invalidates every list of the application's endpoints read before now; false if there is no such application. */
export async function raiseEndpointsVersion(tx: Executor, applicationId: string): Promise<boolean> {
  const raised = await tx.run(sql`update ${applications}
set endpoints_version = endpoints_version + 1
where id = ${applicationId}`)
  return raised > 0
}

export function takenUid(uid: string): PosthornError {
  return new PosthornError(
    'already_exists',
    `Expected \`uid\` to be free, got "${uid}", which is in use. Choose another, or update the one there is.`,
  )
}

async function refuseTakenUid(tx: Executor, uid: string, ownId: string): Promise<void> {
  const others = await tx.query(sql`select 1 from ${applications} where uid = ${uid} and id <> ${ownId}`)
  if (others.length > 0) throw takenUid(uid)
}
