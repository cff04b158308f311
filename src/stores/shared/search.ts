import { operationsUid } from '../../core/alarms/operational.ts'
import { idPrefix, lastIdFrom } from '../../core/ports/search.ts'
import type { SearchDirectory, SearchRequest } from '../../core/ports/search.ts'
import { toFound } from './rows/search-rows.ts'
import type { Database } from './sql/database.ts'
import { containing } from './sql/like.ts'
import { visible } from './sql/visible.ts'
import { all, sql, table, raw } from './sql/sql.ts'
import type { Sql } from './sql/sql.ts'

/** Finds things by a few letters of their names or ids. */
export function searchDirectory(database: Database): SearchDirectory {
  return {
    async search(request) {
      const statement = searchFor(request)
      if (statement === null) return []
      return (await database.query(statement)).map((row) => toFound(request.kind, row))
    },
  }
}

/** Null if the search would have to read everything. */
export function searchFor(request: SearchRequest): Sql | null {
  switch (request.kind) {
    case 'application':
      return applications(request)
    case 'endpoint':
      return endpoints(request)
    case 'event-type':
      return eventTypes(request)
    case 'message':
      return messages(request)
    case 'delivery':
      return deliveries(request)
  }
}

function applications({ words: given, applicationId, limit }: SearchRequest): Sql {
  const conditions = [
    sql`(uid is null or uid <> ${operationsUid})`,
    ...holding(`id || ' ' || name || ' ' || coalesce(uid, '')`, given),
  ]
  if (applicationId !== undefined) conditions.push(sql`id = ${applicationId}`)
  return sql`select id, uid, name, null as url, id as application_id, name as application_name, null as status
from ${table('applications')}
where ${all(conditions)}
order by ${exactFirst(['id', 'uid'], given)}, id
limit ${limit}`
}

function endpoints({ words: given, applicationId, limit }: SearchRequest): Sql {
  const conditions = [
    sql`status <> 'deleted'`,
    ...holding(`id || ' ' || url || ' ' || description || ' ' || coalesce(uid, '')`, given),
  ]
  if (applicationId !== undefined) conditions.push(sql`application_id = ${applicationId}`)
  return sql`select id, uid, description as name, url, application_id, ${applicationName}, status
from ${table('endpoints')}
where ${all(conditions)}
order by ${exactFirst(['id', 'uid'], given)}, id
limit ${limit}`
}

function eventTypes({ words: given, limit }: SearchRequest): Sql {
  return sql`select name as id, null as uid, name, null as url, null as application_id, null as application_name, null as status
from ${table('event_types')}
where ${all([sql`archived = 0`, ...holding(`name || ' ' || description`, given)])}
order by ${exactFirst(['name'], given)}, name
limit ${limit}`
}

function messages({ words: given, applicationId, limit }: SearchRequest): Sql | null {
  const prefix = idPrefix('message', given)
  if (prefix === null) return null
  return sql`select id, null as uid, type as name, null as url, application_id, ${applicationName}, null as status
from ${table('messages')}
where ${byId(prefix, applicationId)}
order by id desc
limit ${limit}`
}

function deliveries({ words: given, applicationId, limit }: SearchRequest): Sql | null {
  const prefix = idPrefix('delivery', given)
  if (prefix === null) return null
  return sql`select id, null as uid, event_type as name,
  (select e.url from ${table('endpoints')} e where e.id = webhook_id) as url,
  application_id, ${applicationName}, status
from ${table('webhook_deliveries')}
where ${byId(prefix, applicationId)}
order by id desc
limit ${limit}`
}

const applicationName = sql`(select a.name from ${table('applications')} a where a.id = application_id) as application_name`

/** A range scan of the primary key. */
function byId(prefix: string, applicationId: string | undefined): Sql {
  const conditions = [sql`id >= ${prefix}`, sql`id <= ${lastIdFrom(prefix)}`, visible]
  if (applicationId !== undefined) conditions.push(sql`application_id = ${applicationId}`)
  return all(conditions)
}

function holding(text: string, given: readonly string[]): Sql[] {
  return given.map((word) => sql`lower(${raw(text)}) like ${containing(word)} escape '!'`)
}

function exactFirst(columns: readonly string[], given: readonly string[]): Sql {
  const [only, ...others] = given
  // A constant that no database mistakes for a column number.
  if (only === undefined || others.length > 0) return raw('coalesce(0, 1)')
  const isExact = columns.map((column) => sql`lower(${raw(column)}) = ${only}`)
  return sql`case when ${isExact.reduce((one, other) => sql`${one} or ${other}`)} then 0 else 1 end`
}
