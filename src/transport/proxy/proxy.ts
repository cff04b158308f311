import { expected } from '../../core/errors.ts'
import { placeOf } from '../place.ts'
import type { Place } from '../place.ts'

/** A forward proxy for every connection. */
export interface Proxy {
  readonly place: Place
  /** The value of `Proxy-Authorization`; null without credentials. */
  readonly authorization: string | null
}

/** Parses the URL of a proxy, such as http://user:password@proxy.internal:4750. Errors never repeat it. */
export function readProxy(text: string, name = 'proxyUrl'): Proxy {
  const url = URL.parse(text)
  const isProxy = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === ''
  if (isProxy) return { place: placeOf(url), authorization: authorizationOf(url) }
  const advice = 'For example http://proxy.internal:4750.'
  throw expected('invalid_argument', name, 'the http(s) URL of a forward proxy, without a path', 'another text', advice)
}

function authorizationOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
