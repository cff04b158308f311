import { z } from 'zod'
import { expected, messageOf, PosthornError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { urlOf } from '../../core/url.ts'

/** Svix's HTTP API, as far as it is read. */
export interface SvixApi {
  /** A whole list, page by page. */
  list<Item>(path: string, item: z.ZodType<Item>, query?: Readonly<Record<string, string>>): Promise<Item[]>
  /** Null if there is none. */
  find<Item>(path: string, item: z.ZodType<Item>): Promise<Item | null>
}

interface SvixAccess {
  /** The URL of Svix, without `/api/v1`. */
  readonly url: string
  readonly token: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

const pageRows = 250
const mostPages = 10_000
const mostTries = 5
const timeoutMs = 30_000
const longestWaitMs = 60_000

export function svixApi(access: SvixAccess): SvixApi {
  const base = checkUrl(access.url)
  return {
    async list(path, item, query = {}) {
      const page = z.object({ data: z.array(item), done: z.boolean(), iterator: z.string().nullish() })
      const all: z.output<typeof item>[] = []
      let iterator: string | null | undefined
      for (let pages = 0; pages < mostPages; pages += 1) {
        const parameters = new URLSearchParams({ limit: String(pageRows), ...query })
        if (typeof iterator === 'string') parameters.set('iterator', iterator)
        const url = `${base}${path}?${parameters.toString()}`
        const answer = await read(access, url, page)
        if (answer === null) throw expected('invalid_argument', 'url', 'that of a Svix server', `no answer at ${url}`)
        const { data, done, iterator: next } = answer
        all.push(...data)
        if (done || typeof next !== 'string' || next === iterator) return all
        iterator = next
      }
      throw new PosthornError('overloaded', `Expected ${path} of ${base} to end, got over ${mostPages} pages.`)
    },
    find: (path, item) => read(access, `${base}${path}`, item),
  }
}

function checkUrl(given: string): string {
  const url = urlOf(given)
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '')
    return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`
  const wanted = 'the URL of a Svix server, such as https://api.eu.svix.com, without user and password'
  throw expected('invalid_argument', 'url', wanted, given.replace(/^.*@/s, '…@'))
}

/** Null if there is nothing at this URL. */
async function read<Body>(access: SvixAccess, url: string, body: z.ZodType<Body>): Promise<Body | null> {
  const response = await answered(access, url)
  const where = new URL(url).origin
  if (response.status === 401 || response.status === 403)
    throw expected('invalid_argument', 'token', `one that ${where} takes`, `status ${response.status}`)
  if (response.status === 404 || response.status === 405) return null
  if (!response.ok) throw new PosthornError('unreachable', `Expected ${url} to answer, got status ${response.status}.`)
  const parsed = body.safeParse(await response.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  throw expected('invalid_argument', 'url', 'a server that answers as Svix does', `another answer of ${url}`)
}

/** The response, after a wait if Svix limits the rate or is briefly unavailable. */
async function answered(access: SvixAccess, url: string): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await ask(access, url)
    const isBusy = response.status === 429 || response.status >= 500
    if (!isBusy || tries === mostTries) return response
    await response.body?.cancel()
    const seconds = Number(response.headers.get('retry-after') ?? 2 ** (tries - 1))
    await pause(access, Math.min(Number.isFinite(seconds) ? seconds * 1_000 : 1_000, longestWaitMs))
  }
}

async function ask({ token, clock, signal }: SvixAccess, url: string): Promise<Response> {
  const late = new AbortController()
  const disarm = clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs / 1_000} s`)))
  try {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
    return await fetch(url, { headers, redirect: 'error', signal: AbortSignal.any([signal, late.signal]) })
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    throw new PosthornError(
      'unreachable',
      `Expected ${new URL(url).origin} to answer, but it does not: ${messageOf(reason)}. Is --url right?`,
      { cause },
    )
  } finally {
    disarm()
  }
}

function pause({ clock, signal }: SvixAccess, ms: number): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      disarm()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const disarm = clock.after(ms, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
