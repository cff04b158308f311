import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import type { Store } from '../../src/core/ports/ports.ts'
import { migrations } from '../../src/stores/shared/schema/migrations.ts'
import { freshSchema, isFast } from '../postgres.ts'
import { temporaryFolder } from './folder.ts'
import { run } from './run.ts'

const newest = migrations.at(-1)?.version

interface Place {
  readonly environment: Readonly<Record<string, string>>
  /** As the command shows it. */
  readonly shown: string
  /** Applies a script as a person would, with a client of the database. */
  apply(script: string): Promise<void>
  store(): Store
}

async function inSqlite(): Promise<Place> {
  const file = join(await temporaryFolder(), 'own.db')
  return {
    environment: { POSTHORN_DATABASE_URL: `sqlite:${file}` },
    shown: `sqlite:${file}`,
    async apply(script) {
      const database = new DatabaseSync(file)
      database.exec(script)
      database.close()
    },
    store: () => sqlite(file, { plaintextSecrets: true }),
  }
}

async function inPostgres(): Promise<Place> {
  const { url, schema, query, drop } = freshSchema()
  onTestFinished(drop)
  const { password } = new URL(url)
  return {
    environment: { POSTHORN_DATABASE_URL: url, POSTHORN_SCHEMA: schema },
    shown: url.replace(`:${password}@`, '@'),
    async apply(script) {
      await query(script)
    },
    store: () => postgres(url, { schema, plaintextSecrets: true }),
  }
}

describe.each(
  isFast
    ? [{ name: 'sqlite', place: inSqlite }]
    : [
        { name: 'sqlite', place: inSqlite },
        { name: 'postgres', place: inPostgres },
      ],
)('posthorn migrate on $name', ({ place }) => {
  test('brings a new database to this version, says so, and finds nothing to do the second time', async () => {
    const { environment, shown } = await place()
    expect(await run(['migrate'], environment)).toEqual({
      lines: [`${shown} migrated from version 0 to ${newest}`],
      code: 0,
      stderr: '',
    })
    expect(await run(['migrate'], environment)).toEqual({
      lines: [`${shown} is at version ${newest} already`],
      code: 0,
      stderr: '',
    })
  })

  test('prints SQL that makes the same schema when a person applies it', async () => {
    const { environment, shown, apply, store } = await place()
    const { lines, code } = await run(['migrate', '--print'], environment)
    expect(code).toBe(0)
    await apply(lines.join('\n'))
    expect((await run(['migrate'], environment)).lines).toEqual([`${shown} is at version ${newest} already`])

    const posthorn = new Posthorn({ store: store() })
    onTestFinished(() => posthorn.stop())
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks' })
    expect(await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })).toMatchObject({
      deliveries: 1,
    })
  })

  test('prints nothing but a remark for a schema that has everything', async () => {
    const { environment } = await place()
    expect((await run(['migrate', '--print', '--from', String(newest)], environment)).lines).toEqual([
      '-- Nothing to do.',
    ])
  })
})

test.each([
  [
    ['--print', '--from', 'yesterday'],
    'Expected `from` to be the version of a schema, a whole number, got "yesterday".',
  ],
  [['--from', '1'], 'Expected `from` to be given together with --print, got "1".'],
  [['--database', 'mysql://me:secret@host/db'], 'Expected `database` to be `sqlite:` and a path'],
  [['--database', 'postgres://me:secret@127.0.0.1:1/db'], 'Expected PostgreSQL to answer'],
])('posthorn migrate %j is refused in one line, without a password', async (args, wanted) => {
  const { lines, code, stderr } = await run(['migrate', ...args])
  expect({ lines, code }).toEqual({ lines: [], code: 1 })
  expect(stderr).toContain(wanted)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stderr).not.toContain('secret')
})
