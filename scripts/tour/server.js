import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))

export const adminKey = 'the-admin-key-of-the-tour'

/** The databases of the tour, each created for it and removed after it. */
export const databases = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-tour-'))
    return {
      url: `sqlite:${join(folder, 'posthorn.db')}`,
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
  async postgres() {
    const child = spawn(process.execPath, [here('../postgres.js')], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited.then(() => [])])
    if (url === undefined) throw new Error('Expected a PostgreSQL, and it ended: see above.')
    return {
      url,
      async close() {
        child.stdin.end()
        await exited
      },
    }
  },
}

/** `posthorn serve` as an operator starts it, on a port that it picks. */
export async function startServer(dist, databaseUrl) {
  await run(dist, ['migrate'], databaseUrl)
  const child = start(dist, ['serve'], databaseUrl)
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const url = await Promise.race([
    new Promise((resolve) =>
      lines.on('line', (line) => {
        const found = /^posthorn listening on (http:\S+)$/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      }),
    ),
    ended.then(([code]) => {
      throw new Error(`Expected posthorn serve to listen, and it ended with ${code}: see above.`)
    }),
  ])
  return {
    url,
    /** Its exit code. */
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

async function run(dist, args, databaseUrl) {
  const [code] = await once(start(dist, args, databaseUrl), 'exit')
  if (code !== 0)
    throw new Error(`Expected posthorn ${args.join(' ')} to end well, and it ended with ${code}: see above.`)
}

function start(dist, args, databaseUrl) {
  return fork(join(dist, 'cli/main.js'), args, {
    execArgv: ['--import', here('../crash/preload/end-with-parent.js')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      POSTHORN_DATABASE_URL: databaseUrl,
      POSTHORN_PORT: '0',
      POSTHORN_ADMIN_KEY: adminKey,
      POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
      POSTHORN_SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'),
      POSTHORN_POLL_MS: '200',
      POSTHORN_SHUTDOWN_GRACE_MS: '5000',
      // One send, so that a failure is dead at once and can be recovered.
      MAX_RETRY_ATTEMPTS: '0',
    },
  })
}
