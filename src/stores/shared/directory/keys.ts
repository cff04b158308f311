import type { KeyDirectory } from '../../../core/ports/directory.ts'
import type { Database } from '../sql/database.ts'
import { fromKey, toKey } from '../rows/directory-rows.ts'
import { record } from './operations.ts'
import { pageOf } from '../sql/page.ts'
import { insertInto, sql, table } from '../sql/sql.ts'

const keys = table('keys')

/** API keys, which are known by their hashes only. */
export function keyDirectory(database: Database): KeyDirectory {
  return {
    createKey: (key, by) =>
      database.transaction(async (tx) => {
        await tx.run(insertInto('keys', fromKey(key)))
        if (by !== undefined)
          await record(tx, { action: 'key.create', target: key.id, count: 1, at: key.createdAt, by })
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
    revokeKey: (id, now, by) =>
      database.transaction(async (tx) => {
        const count = await tx.run(sql`update ${keys} set revoked_at = ${now} where id = ${id} and revoked_at is null`)
        if (by !== undefined) await record(tx, { action: 'key.revoke', target: id, count, at: now, by })
        const [row] = await tx.query(sql`select * from ${keys} where id = ${id}`)
        return row === undefined ? null : toKey(row)
      }),
  }
}
