import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import { receiver } from '../../src/testing/receiver.ts'
import { verify } from '../../src/verify.ts'
import { builtPackage } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'
import { run } from '../cli/run.ts'
import { databases, securityDatabase } from './databases.ts'

const built = builtPackage()
const [oldKey = '', newKey = '', otherKey = ''] = [1, 2, 3].map(() => randomBytes(32).toString('base64'))

/** Endpoints with a secret and a header each, created through a store. */
async function endpointsIn(store: Store, count: number): Promise<string[]> {
  const posthorn = new Posthorn({ store })
  await posthorn.applications.create({ name: 'Acme', uid: 'acme' })
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const url = `https://acme.example/${index}`
    const headers = { authorization: `Bearer header-${index}` }
    ids.push((await posthorn.endpoints.create({ application: 'acme', url, headers })).id)
  }
  await store.close()
  return ids
}

async function readable(store: Store, ids: readonly string[]): Promise<boolean> {
  await store.open()
  const found = await store.directory.endpointsById(ids)
  await store.close()
  return found.length === ids.length && found.every(({ headers }) => headers['authorization']?.startsWith('Bearer '))
}

describe.each(databases)('posthorn secrets rotate on %s', (kind) => {
  test('seals all with the newest key, with progress, and the old one is needed no more', async () => {
    const database = await securityDatabase(kind)
    const ids = await endpointsIn(database.store(oldKey), 20)
    const environment = { ...database.environment, POSTHORN_SECRETS_KEY: `${newKey}, ${oldKey}` }
    const doctor = async (): Promise<string> => (await run(['doctor'], environment)).lines.join('\n')
    expect(await doctor()).toMatch(
      /40 values are sealed with an older one, or not at all\. Seal them: posthorn secrets rotate/,
    )
    expect(await run(['secrets', 'rotate'], environment)).toEqual({
      code: 0,
      lines: ['secrets rotated 40 of 40'],
      stderr: 'sealed 0 of 40\nsealed 20 of 40\nsealed 40 of 40\n',
    })
    expect(await run(['secrets', 'rotate'], environment)).toMatchObject({ lines: ['secrets rotated 0 of 0'] })
    expect(await doctor()).toContain('The key for endpoint secrets fits.')
    expect(await readable(database.store(newKey), ids)).toBe(true)
    await expect(database.store(oldKey).open()).rejects.toMatchObject({
      code: 'secrets_unreadable',
      message: expect.stringContaining('`secretsKey` (POSTHORN_SECRETS_KEY), after the newest'),
    })
  })

  test('seals what was stored in clear, and leaves no trace of it behind', async () => {
    const database = await securityDatabase(kind)
    const ids = await endpointsIn(database.store(null), 3)
    expect(await database.contents()).toContain('header-1')
    const environment = { ...database.environment, POSTHORN_SECRETS_KEY: newKey }
    expect(await run(['secrets', 'rotate'], environment)).toMatchObject({ lines: ['secrets rotated 6 of 6'] })
    expect(await database.contents()).not.toMatch(/header-\d|whsec_/)
    expect(await readable(database.store(newKey), ids)).toBe(true)
  })

  test('goes on where it was: what is sealed is not sealed again', async () => {
    const database = await securityDatabase(kind)
    const ids = await endpointsIn(database.store(oldKey), 201)
    const store = database.store([newKey, oldKey])
    await store.open()
    const interrupted = new AbortController()
    const onBatch = ({ done }: { done: number }): void => void (done > 0 && interrupted.abort())
    expect(await store.reseal?.({ signal: interrupted.signal, onBatch })).toMatchObject({ done: 200, total: 402 })
    expect(await readable(database.store([newKey, oldKey]), ids)).toBe(true)
    const environment = { ...database.environment, POSTHORN_SECRETS_KEY: `${newKey},${oldKey}` }
    expect(await run(['secrets', 'rotate'], environment)).toMatchObject({ lines: ['secrets rotated 202 of 202'] })
    expect(await readable(database.store(newKey), ids)).toBe(true)
  })

  // The kill comes when it comes, perhaps after the last batch: whenever that is, nothing is lost, and the next run ends it.
  test('is killed, and whatever was sealed until then opens', async () => {
    const database = await securityDatabase(kind)
    const ids = await endpointsIn(database.store(oldKey), 201)
    const environment = { ...database.environment, POSTHORN_SECRETS_KEY: `${newKey},${oldKey}` }
    const program = startProgram(built.path('cli/main.js'), ['secrets', 'rotate'], environment)
    await program.says(/^sealed 200 of 402$/)
    program.child.kill('SIGKILL')
    await program.ended
    expect(await readable(database.store([newKey, oldKey]), ids)).toBe(true)
    expect(await run(['secrets', 'rotate'], environment)).toMatchObject({ code: 0 })
    expect(await readable(database.store(newKey), ids)).toBe(true)
  })

  test('names what no key of the ring opens, leaves it as it is, and says so with its exit code', async () => {
    const database = await securityDatabase(kind)
    const [id = ''] = await endpointsIn(database.store(otherKey), 1)
    const posthorn = new Posthorn({ store: database.store([oldKey, otherKey]) })
    onTestFinished(() => posthorn.stop())
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/new' })
    const environment = { ...database.environment, POSTHORN_SECRETS_KEY: `${newKey},${oldKey}` }
    const { code, lines, stderr } = await run(['secrets', 'rotate'], environment)
    expect([code, lines]).toEqual([3, ['secrets rotated 1 of 3']])
    expect(stderr).toContain(`2 values could not be opened, and stay as they are (endpoints ${id})`)
    const all = { ...environment, POSTHORN_SECRETS_KEY: [newKey, otherKey].join(',') }
    expect(await run(['secrets', 'rotate'], all)).toMatchObject({ code: 0, lines: ['secrets rotated 2 of 2'] })
  })

  test('is refused where secrets are stored as plain text, and with a key that is none', async () => {
    const { environment } = await securityDatabase(kind)
    const plain = await run(['secrets', 'rotate'], { ...environment, POSTHORN_PLAINTEXT_SECRETS: '1' })
    expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('`plaintextSecrets`')])
    const wrong = await run(['secrets', 'rotate'], { ...environment, POSTHORN_SECRETS_KEY: `${newKey},nonsense` })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('32 bytes')])
    expect(wrong.stderr).not.toContain('nonsense')
  })

  test('loses nothing that is sent meanwhile, and every signature verifies', async () => {
    const database = await securityDatabase(kind)
    await endpointsIn(database.store(oldKey), 50)
    const local = await receiver()
    onTestFinished(() => local.close())
    const posthorn = new Posthorn({ store: database.store([newKey, oldKey]), allowedTargets: ['127.0.0.0/8'] })
    onTestFinished(() => posthorn.stop())
    await posthorn.start()
    const headers = { authorization: 'Bearer mine' }
    const { secrets } = await posthorn.endpoints.create({ application: 'globex', url: local.url('/hook'), headers })
    const rotating = run(['secrets', 'rotate'], {
      ...database.environment,
      POSTHORN_SECRETS_KEY: `${newKey},${oldKey}`,
    })
    for (let count = 0; count < 20; count += 1)
      await posthorn.send({ application: 'globex', type: 'invoice.paid', data: { count } })
    const receipts = await local.waitFor(20)
    expect(await rotating).toMatchObject({ code: 0, lines: ['secrets rotated 100 of 100'] })
    for (const { body, headers: got } of receipts) {
      expect(got['authorization']).toBe('Bearer mine')
      expect(() => verify(body, got, secrets[0]?.value ?? '')).not.toThrow()
    }
  })
})
