import { expected, messageOf, PosthornError } from '../../core/errors.ts'
import { urlOf } from '../../core/url.ts'
import { makeClient } from './api-client.ts'
import type { ApiClient } from './api-client.ts'

/** The API of a remote server. */
export function remoteClient(serverUrl: string, key: string | null): ApiClient {
  const where = checkServer(serverUrl)
  return makeClient({
    where,
    baseUrl: where,
    headers: key === null ? {} : { authorization: `Bearer ${checkKey(key)}` },
    async send(request) {
      try {
        return await fetch(request)
      } catch (cause) {
        const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
        throw new PosthornError(
          'unreachable',
          `Expected ${where} to answer, but it does not: ${reasonOf(reason)}. Is it running, and is --server right?`,
          { cause },
        )
      }
    },
    // A server has workers, or knows some.
    advance: async () => undefined,
    close: async () => undefined,
  })
}

function checkServer(given: string): string {
  const url = urlOf(given)
  const fits = url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  if (fits) return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  throw expected(
    'invalid_argument',
    'server',
    'the URL of a server, such as https://posthorn.example, without user and password',
    given.replace(/^.*@/s, '…@'),
  )
}

/** If somebody copies `phk_…` from a page, they get a sentence: such a header cannot even be sent. */
function checkKey(given: string): string {
  if (/^[\x21-\x7e]+$/.test(given)) return given
  throw new PosthornError(
    'invalid_argument',
    'Expected an API key such as phk_0123456789, got one with characters that no key has. Give the whole key by POSTHORN_KEY, POSTHORN_KEY_FILE or --key-file.',
  )
}

/** If several addresses all refuse, the error has no message. */
function reasonOf(thrown: unknown): string {
  const text = messageOf(thrown)
  if (text !== '') return text
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'no connection'
}
