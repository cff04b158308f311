import { randomBytes } from 'node:crypto'
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../src/core/endpoint/endpoint.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import { hmacSecret } from '../../src/core/signing/signature.ts'
import { keyedVault, makeKey, readKey } from '../../src/stores/shared/secrets.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { anApplication, contentsBeside, freshPath, newId, noon, openStore } from './sqlite-folder.ts'

describe('the vault', () => {
  const key = makeKey()
  const vault = keyedVault([key])

  test('opens what it sealed, and seals the same secret differently each time', () => {
    const [first, second] = [vault.seal('ep_a', 'sec_a', 'whsec_x'), vault.seal('ep_a', 'sec_a', 'whsec_x')]
    expect(first).not.toBe(second)
    expect(vault.open('ep_a', 'sec_a', first)).toBe('whsec_x')
    expect(vault.open('ep_a', 'sec_a', second)).toBe('whsec_x')
  })

  test('says with which version and key it sealed', () => {
    expect(vault.seal('ep_a', 'sec_a', 'whsec_x')).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/=]+$/)
  })

  test('does not open a secret under another row, or one that was changed', () => {
    const sealed = vault.seal('ep_a', 'sec_a', 'whsec_x')
    const changed = sealed.slice(0, -4) + (sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA')
    expect(() => vault.open('ep_b', 'sec_a', sealed)).toThrow(expect.objectContaining({ code: 'secrets_unreadable' }))
    expect(() => vault.open('ep_a', 'sec_b', sealed)).toThrow(expect.objectContaining({ code: 'secrets_unreadable' }))
    expect(() => vault.open('ep_a', 'sec_a', changed)).toThrow(expect.objectContaining({ code: 'secrets_unreadable' }))
  })

  test('does not open what another key has sealed, and says which key is needed', () => {
    const sealed = keyedVault([makeKey()]).seal('ep_a', 'sec_a', 'whsec_x')
    const keyId = sealed.split('.')[1] ?? ''
    expect(() => vault.open('ep_a', 'sec_a', sealed)).toThrow(
      expect.objectContaining({
        code: 'secrets_unreadable',
        message: expect.stringContaining(`key ${keyId}. Give that key as \`secretsKey\``),
      }),
    )
  })

  test('takes a key as 32 bytes or their base64, and nothing else', () => {
    expect(readKey(key.toString('base64'))).toEqual(key)
    expect(readKey(`${key.toString('base64')}\n`)).toEqual(key)
    for (const wrong of ['', 'short', key.subarray(1), Buffer.concat([key, key])]) {
      expect(() => readKey(wrong)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    }
  })
})

describe('secrets of endpoints in a file', () => {
  test('no secret stands in it as plain text, in no form', async () => {
    const path = await freshPath()
    const { store, endpoint } = await withEndpoint(path)
    const secret = endpoint.secrets[0]?.value ?? ''
    await store.close()
    expect(await readdir(dirname(path))).toContain('posthorn.db.key')
    const contents = await contentsBeside(path)
    const base64 = secret.slice('whsec_'.length)
    expect(contents.indexOf(base64)).toBe(-1)
    expect(contents.indexOf(Buffer.from(base64, 'base64'))).toBe(-1)
    expect(contents.indexOf(endpoint.url)).toBeGreaterThan(0)
  })

  test('without a key one is made beside the file, for this user only, and told once', async () => {
    const path = await freshPath()
    const store = sqlite(path)
    expect(await store.open()).toEqual([expect.stringContaining(`Created ${path}.key`)])
    await store.close()
    expect((await stat(`${path}.key`)).mode & 0o777).toBe(0o600)
    expect(readKey(await readFile(`${path}.key`, 'utf8'))).toHaveLength(32)
    expect(await store.open()).toEqual([])
    await store.close()
  })

  test('with a key none is made', async () => {
    const path = await freshPath()
    const store = sqlite(path, { secretsKey: randomBytes(32) })
    expect(await store.open()).toEqual([])
    await store.close()
    expect(await readdir(dirname(path))).not.toContain('posthorn.db.key')
  })

  test('another key is refused at the door, with advice', async () => {
    const path = await freshPath()
    const { store } = await withEndpoint(path, { secretsKey: randomBytes(32) })
    await store.close()
    await expect(sqlite(path, { secretsKey: randomBytes(32) }).open()).rejects.toMatchObject({
      code: 'secrets_unreadable',
      message: expect.stringContaining('`secretsKey`'),
    })
  })

  test('a lost key file is not replaced by a new one', async () => {
    const path = await freshPath()
    const { store } = await withEndpoint(path)
    await store.close()
    await rm(`${path}.key`)
    await expect(sqlite(path).open()).rejects.toMatchObject({
      code: 'secrets_unreadable',
      message: expect.stringContaining(`${path}.key`),
    })
    expect(await readdir(dirname(path))).not.toContain('posthorn.db.key')
  })

  test('a key file that holds no key is refused by its name', async () => {
    const path = await freshPath()
    const { store } = await withEndpoint(path)
    await store.close()
    await writeFile(`${path}.key`, 'not a key')
    await expect(sqlite(path).open()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`${path}.key`),
    })
  })

  test('plain text is stored where that was asked for, and read by a store with a key', async () => {
    const path = await freshPath()
    const { store, endpoint } = await withEndpoint(path, { plaintextSecrets: true })
    const secret = endpoint.secrets[0]?.value ?? ''
    await store.close()
    expect((await readFile(path)).includes(secret)).toBe(true)
    const keyed = await openStore(path, { secretsKey: randomBytes(32) })
    expect(await keyed.directory.endpoint(null, endpoint.id)).toEqual(endpoint)
  })

  test('a store for plain text still reads what was sealed, if it has the key', async () => {
    const path = await freshPath()
    const { store, endpoint } = await withEndpoint(path)
    await store.close()
    const plain = await openStore(path, { plaintextSecrets: true })
    expect(await plain.directory.endpoint(null, endpoint.id)).toEqual(endpoint)
  })
})

describe('the files of a database', () => {
  test('are for their owner only from the start: database, log and key', async () => {
    const path = await freshPath()
    await withEndpoint(path)
    const all = { 'posthorn.db': '600', 'posthorn.db-shm': '600', 'posthorn.db-wal': '600', 'posthorn.db.key': '600' }
    expect(await modesIn(path)).toEqual(all)
  })

  test('are taken away from others if they were open to them, and that is said', async () => {
    const path = await freshPath()
    const { store } = await withEndpoint(path)
    await store.close()
    for (const file of [path, `${path}.key`]) await chmod(file, 0o644)
    expect(await store.open()).toEqual(
      expect.arrayContaining([
        `${path} was readable by others (mode 644). It is its owner's only now.`,
        `${path}.key was readable by others (mode 644). It is its owner's only now.`,
      ]),
    )
    expect(new Set(Object.values(await modesIn(path)))).toEqual(new Set(['600']))
    await store.close()
    expect(await store.open()).toEqual([])
    await store.close()
  })
})

async function modesIn(path: string): Promise<Record<string, string>> {
  const names = (await readdir(dirname(path))).filter((name) => !name.endsWith('.lock'))
  const modes = names.map(async (name) => [name, ((await stat(join(dirname(path), name))).mode & 0o777).toString(8)])
  return Object.fromEntries(await Promise.all(modes))
}

async function withEndpoint(
  path: string,
  options: Parameters<typeof openStore>[1] = {},
): Promise<{ store: Store; endpoint: Endpoint }> {
  const store = await openStore(path, options)
  const endpoint = await store.directory.createEndpoint({
    id: newId('ep'),
    applicationId: await anApplication(store),
    uid: null,
    url: 'https://acme.example/hooks',
    description: '',
    status: 'active',
    statusReason: null,
    statusSince: noon,
    types: [],
    channels: [],
    filter: null,
    headers: {},
    authentication: null,
    metadata: {},
    policy: 'standard',
    signature: 'standard',
    bodyHeader: 'x-webhook-signature',
    ratePerSecond: null,
    secrets: [{ id: newId('sec'), value: hmacSecret(randomBytes(32)), createdAt: noon, expiresAt: null }],
    createdAt: noon,
    updatedAt: noon,
  })
  return { store, endpoint }
}
