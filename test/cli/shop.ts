import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import type { Store } from '../../src/core/ports/ports.ts'
import { lentSchema } from '../postgres.ts'
import { temporaryFolder } from './folder.ts'

/** A database with an endpoint that collects and sends nothing, for commands to work on. */
export interface Shop {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly posthorn: Posthorn
  readonly store: Store
  readonly endpointId: string
  readonly secret: string
  /** Messages for the endpoint; answers with their deliveries, oldest first. */
  send(count: number): Promise<string[]>
  /** The same, all of them dead. */
  deadLetters(count: number): Promise<string[]>
}

export async function shop(database: 'sqlite' | 'postgres' = 'sqlite'): Promise<Shop> {
  const folder = await temporaryFolder()
  const { store, settings } = database === 'sqlite' ? inFile(join(folder, 'posthorn.db')) : inSchema()
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.0/8'] })
  onTestFinished(() => posthorn.stop())
  const { id: endpointId, secrets } = await posthorn.endpoints.create({
    application: 'acme',
    uid: 'till',
    url: 'http://127.0.0.1:9/hooks',
  })
  await posthorn.endpoints.pause(endpointId, { by: 'the test' })

  async function send(count: number): Promise<string[]> {
    await posthorn.send(
      Array.from({ length: count }, (_, index) => ({ application: 'acme', type: 'invoice.paid', data: { id: index } })),
    )
    const listed = await store.directory.listDeliveries({ endpointId }, { limit: count, after: null })
    return listed.map(({ id }) => id).toReversed()
  }

  return {
    folder,
    // Programs work in the folder of the test run: what a person has in posthorn.json there is none of theirs.
    environment: { ...settings, POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8', POSTHORN_PORT: '0' },
    posthorn,
    store,
    endpointId,
    secret: secrets[0]?.value ?? '',
    send,
    async deadLetters(count) {
      const ids = await send(count)
      await posthorn.cancel({ endpointId })
      return ids
    },
  }
}

interface Home {
  readonly store: Store
  readonly settings: Readonly<Record<string, string>>
}

function inFile(file: string): Home {
  return { store: sqlite(file), settings: { POSTHORN_DATABASE_URL: `sqlite:${file}` } }
}

function inSchema(): Home {
  const { url, schema } = lentSchema()
  const secretsKey = Buffer.alloc(32, 7).toString('base64')
  const settings = { POSTHORN_DATABASE_URL: url, POSTHORN_SCHEMA: schema, POSTHORN_SECRETS_KEY: secretsKey }
  return { store: postgres(url, { schema, secretsKey }), settings }
}
