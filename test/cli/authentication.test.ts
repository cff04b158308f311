import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeCertificate } from '../transport/certificate.ts'
import { run } from './run.ts'
import { shop } from './shop.ts'

const { cert, key } = makeCertificate({ name: 'us' })
const files = {
  'token.txt': 'abc\n',
  'auth.json': JSON.stringify({ oauth2: { tokenUrl: 'https://a.example/', clientId: 'us', clientSecret: 'abc' } }),
  'list.json': '["abc"]',
  'cert.pem': cert,
  'key.pem': key,
}

async function world() {
  const { folder, environment, store } = await shop()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  // A name that stands for a file of the folder is written so.
  const inFolder = (args: readonly string[]): string[] => args.map((each) => each.replace('@', `${folder}/`))
  return {
    store,
    environment,
    create: (...args: string[]) =>
      run(
        ['endpoints', 'create', 'https://a.example/', '--application', 'acme', '--json', ...inFolder(args)],
        environment,
      ),
  }
}

describe('endpoints create', () => {
  test.each<[args: string[], authentication: object]>([
    [['--auth', 'bearer:@token.txt'], { bearer: 'abc' }],
    [['--auth', 'basic:us:@token.txt'], { basic: { username: 'us', password: 'abc' } }],
    [['--auth', 'api-key:x-key:@token.txt'], { apiKey: { header: 'x-key', key: 'abc' } }],
    [['--auth', '@auth.json'], JSON.parse(files['auth.json']) as object],
    [
      ['--client-cert', '@cert.pem', '--client-key', '@key.pem', '--ca', '@cert.pem', '--auth', 'bearer:@token.txt'],
      { bearer: 'abc', clientCertificate: { certificate: cert.trim(), privateKey: key.trim() }, ca: cert.trim() },
    ],
  ])('takes %j', async (args, authentication) => {
    const { create, store, environment } = await world()
    const created = await create(...args)
    expect(created).toMatchObject({ code: 0, stderr: '' })
    expect(created.lines.join('\n')).not.toMatch(/"abc"/)
    const { id } = JSON.parse(created.lines[0] ?? '') as { id: string }
    expect((await store.directory.endpoint(null, id))?.authentication).toEqual(authentication)
    const shown = await run(['endpoints', 'get', id], environment)
    expect(shown.lines.find((line) => line.startsWith('authentication'))).toContain(
      Object.keys(authentication).join(', '),
    )
    expect((await run(['endpoints', 'update', id, '--auth', 'none'], environment)).code).toBe(0)
    expect((await store.directory.endpoint(null, id))?.authentication).toBeNull()
  })

  test.each<[args: string[], sentence: string]>([
    [['--auth', 's3cr3t'], 'Expected `--auth` to be bearer:<file>, basic:<user>:<file>'],
    [['--auth', 'basic:s3cr3t'], 'Expected `--auth` to be bearer:<file>, basic:<user>:<file>'],
    [['--auth', 'bearer:@nowhere.txt'], 'Expected `--auth` to name a file that can be read'],
    [['--auth', '@list.json'], 'Expected `--auth` to be a file with a JSON object'],
    [['--client-cert', '@cert.pem'], 'Expected `--client-cert` to be given together with --client-key'],
    [['--client-cert', '@cert.pem', '--client-key', '@cert.pem'], 'to be a private key in PEM form'],
  ])('refuses %j', async (args, sentence) => {
    const { create } = await world()
    const { code, stderr } = await create(...args)
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(sentence)])
    expect(stderr).not.toContain('s3cr3t')
  })
})
