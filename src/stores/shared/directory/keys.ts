import type { AuditNote } from '../../../core/ports/audit.ts'
import type { KeyDirectory } from '../../../core/ports/directory/keys.ts'
import type { Database, Executor } from '../sql/database.ts'
import { fromKey, toKey } from '../rows/directory-rows.ts'
import type { ApiKey } from '../../../core/ports/key.ts'
import { record } from '../audit.ts'
import type { Audited } from '../audit.ts'
import { pageOf } from '../sql/page.ts'
import type { Instant } from '../../../core/time.ts'
import { forUpdate, insertInto, sql, table } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

const keys = table('keys')

/** API keys, stored only as hashes. */
export function keyDirectory(database: Database): KeyDirectory {
  return {
    createKey: (key, audited) =>
      database.transaction(async (tx) => {
        await tx.run(insertInto('keys', fromKey(key)))
        if (audited !== undefined)
          await record(tx, {
            ...audited,
            ...aboutKey(key),
            at: key.createdAt,
            after: key.sessionOf === null ? key : null,
          })
        return key
      }),
    async key(id) {
      const [row] = await database.query(sql`select * from ${keys} where id = ${id}`)
      return row === undefined ? null : toKey(row)
    },
    async keyByHash(hash) {
      const [row] = await database.query(sql`select * from ${keys} where hash = ${hash}`)
      return row === undefined ? null : toKey(row)
    },
    async listKeys({ applicationId, livingAt }, page) {
      const conditions = [sql`session_of is null`, living(livingAt)]
      if (applicationId !== undefined) conditions.push(sql`application_id = ${applicationId}`)
      const rows = await database.query(sql`select * from ${keys} ${pageOf(page, 'descending', conditions)}`)
      return rows.map(toKey)
    },
    async listSessions({ of, livingAt }, page) {
      const conditions = [sql`session_of is not null`, living(livingAt), sql`not exists (${endedOwner(livingAt)})`]
      if (of !== undefined) conditions.push(sql`session_of = ${of}`)
      const rows = await database.query(sql`select * from ${keys} ${pageOf(page, 'descending', conditions)}`)
      return rows.map(toKey)
    },
    endSessions: (of, now, audited) => database.transaction((tx) => endSessions(tx, of, now, audited)),
    revokeKey: (id, now, audited) =>
      database.transaction(async (tx) => {
        const count = await tx.run(sql`update ${keys} set revoked_at = ${now} where id = ${id} and revoked_at is null`)
        const [row] = await tx.query(sql`select * from ${keys} where id = ${id}`)
        const key = row === undefined ? null : toKey(row)
        if (audited !== undefined && key !== null) await record(tx, { ...audited, ...aboutKey(key), count, at: now })
        return key
      }),
  }
}

async function endSessions(tx: Executor, of: string, now: Instant, audited?: AuditNote): Promise<ApiKey[]> {
  const own = sql`session_of = ${of} and ${living(now)}`
  const rows = await tx.query(sql`select * from ${keys} where ${own} order by id ${forUpdate}`)
  const ended = rows.map((row): ApiKey => ({ ...toKey(row), revokedAt: now }))
  const count = await tx.run(sql`update ${keys} set revoked_at = ${now} where ${own}`)
  const [first] = ended
  if (audited !== undefined && first !== undefined) await record(tx, { ...audited, ...aboutKey(first), count, at: now })
  return ended
}

function living(at: Instant): Sql {
  return sql`(expires_at is null or expires_at > ${at}) and (revoked_at is null or revoked_at > ${at})`
}

/** The key behind a session, if it has expired or was revoked: a session does not outlive its key. A key that only the server knows has no row. */
function endedOwner(at: Instant): Sql {
  return sql`select 1 from ${keys} owner
where owner.id = ${keys}.session_of and (owner.expires_at <= ${at} or owner.revoked_at <= ${at})`
}

/** For a session, the key behind it, because that is the one people know. */
function aboutKey({ id, sessionOf, applicationId }: ApiKey): Pick<Audited, 'target' | 'applicationId'> {
  return { target: sessionOf ?? id, applicationId }
}
