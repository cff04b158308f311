import { urlOf } from '../core/url.ts'

/** A database's URL as people may see it. Options are removed, too: they may contain a password. */
export function withoutPassword(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) return url
  const parsed = urlOf(url)
  if (parsed === null) return `${url.slice(0, url.indexOf(':'))}://…`
  const { protocol, username, host, pathname } = parsed
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}
