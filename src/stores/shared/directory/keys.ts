import type { KeyDirectory } from '../../../core/ports/directory.ts'
import type { Database } from '../sql/database.ts'
import { fromKey, toKey } from '../rows/directory-rows.ts'
import type { ApiKey } from '../../../core/ports/key.ts'
import { record } from '../audit.ts'
import type { Audited } from '../audit.ts'
import { pageOf } from '../sql/page.ts'
import { insertInto, sql, table } from '../sql/sql.ts'

const keys = table('keys')

/** API keys, which are known by their hashes only. */
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
      const conditions = [
        sql`session_of is null`,
        sql`(expires_at is null or expires_at > ${livingAt})`,
        sql`(revoked_at is null or revoked_at > ${livingAt})`,
      ]
      if (applicationId !== undefined) conditions.push(sql`application_id = ${applicationId}`)
      const rows = await database.query(sql`select * from ${keys} ${pageOf(page, 'descending', conditions)}`)
      return rows.map(toKey)
    },
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

/** Of a session, the key in whose place it stands: that is what a person knows. */
function aboutKey({ id, sessionOf, applicationId }: ApiKey): Pick<Audited, 'target' | 'applicationId'> {
  return { target: sessionOf ?? id, applicationId }
}
