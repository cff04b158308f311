import { readFile } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../cli/folder.ts'
import { startProgram } from '../../cli/program.ts'
import type { Program } from '../../cli/program.ts'

/** `posthorn serve` as its users run it, with everything written down that it says. */
export interface CanaryServer {
  readonly program: Program
  readonly url: string
  /** Out of the file that the first start has written. */
  readonly adminKey: string
  /** Every answer that refuses, as text. */
  readonly refusals: string[]
  ask(method: string, path: string, asked?: Asked): Promise<Answered>
  /** What the stream has said until now. */
  streamed(): string
}

export interface Asked {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The admin key unless given; null for none. */
  readonly key?: string | null
}

export interface Answered {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly json: Record<string, string>
}

export async function startCanaryServer(
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<CanaryServer> {
  const program = startProgram(script, ['serve'], environment, { cwd: await temporaryFolder() })
  const [, file = ''] = /^posthorn admin key is in (\S+), /.exec(await program.says(/^posthorn admin key is in /)) ?? []
  const adminKey = (await readFile(file, 'utf8')).trim()
  const url = (await program.says(/^posthorn listening on /)).slice('posthorn listening on '.length)
  const refusals: string[] = []
  const stream = await openStream(url, adminKey)

  async function ask(method: string, path: string, { body, headers = {}, key = adminKey }: Asked = {}) {
    const own = { connection: 'close', ...(key !== null && { authorization: `Bearer ${key}` }) }
    const response = await fetch(url + path, {
      method,
      headers: { ...own, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) refusals.push(`${JSON.stringify([...response.headers])} ${text}`)
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : {}
    return { status: response.status, text, headers: response.headers, json }
  }

  return { program, url, adminKey, refusals, ask, streamed: stream }
}

/** Reads the stream until the test ends. */
async function openStream(url: string, key: string): Promise<() => string> {
  const leaving = new AbortController()
  const { body } = await fetch(`${url}/api/v1/stream`, {
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  })
  let text = ''
  const reading = (async () => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString()
  })().catch(() => undefined)
  onTestFinished(async () => {
    leaving.abort()
    await reading
  })
  return () => text
}
