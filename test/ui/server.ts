import { startProgram } from '../cli/program.ts'
import type { Program } from '../cli/program.ts'

export interface ServerOptions {
  /** The SQLite file; a new one unless given. */
  readonly database?: string
  /** False for a server that only answers: nothing changes by itself. */
  readonly delivers?: boolean
  readonly environment?: Readonly<Record<string, string>>
}

/** `posthorn serve` as a process, on a SQLite file and a port of its own. */
export interface Server {
  /** Ends with a slash. */
  readonly url: string
  readonly database: string
  /** Calls an operation with the admin key; whatever is not answered well fails with what was said. */
  call<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>
  /** Resolves once it has said, or logged, a line that matches. */
  says(pattern: RegExp): Promise<string>
  /** Kills it, as a crash would. */
  crash(): Promise<void>
  /** Starts it again, at the same address and on the same file. */
  restart(): Promise<void>
}

// One send and no retry: what fails is dead at once. Endpoints that are to be retried name another policy.
const usual = {
  POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
  POSTHORN_POLL_MS: '100',
  MAX_RETRY_ATTEMPTS: '0',
  RETRY_BATCH_SIZE: '1000',
  POSTHORN_RATE_LIMIT_PER_SECOND: '0',
  POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION: '0',
}

/** Resolves when it listens; `atEnd` is told how to end it. */
export async function startServer(
  script: string,
  adminKey: string,
  { database, delivers = true, environment = {} }: ServerOptions & { readonly database: string },
  atEnd: (end: () => Promise<void>) => void,
): Promise<Server> {
  let program = start('0')
  const url = `${await listening(program)}/`

  function start(port: string): Program {
    const settings = {
      ...usual,
      POSTHORN_PORT: port,
      POSTHORN_DATABASE_URL: `sqlite:${database}`,
      POSTHORN_ADMIN_KEY: adminKey,
      ...environment,
    }
    return startProgram(script, ['serve', ...(delivers ? [] : ['--no-worker'])], settings, { atEnd })
  }

  return {
    url,
    database,
    async call<Answer>(method: string, path: string, body?: unknown) {
      const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
      const response = await fetch(`${url}api/v1/${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await response.text()
      if (!response.ok)
        throw new Error(`Expected ${method} ${path} to be answered well, got ${response.status} ${text}`)
      return (text === '' ? null : JSON.parse(text)) as Answer
    },
    says: (pattern) => program.says(pattern),
    async crash() {
      program.child.kill('SIGKILL')
      await program.ended
    },
    async restart() {
      program = start(new URL(url).port)
      await listening(program)
    },
  }
}

async function listening(program: Program): Promise<string> {
  return (await program.says(/^posthorn listening on /)).slice('posthorn listening on '.length)
}
