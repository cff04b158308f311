import { computed, signal } from '@preact/signals'
import { basePath } from '../api/call.ts'
import { now } from './now.ts'
import { absoluteTime } from './relative-time.ts'

/** The path of the current page below the base path, without a leading slash. */
export const location = signal(read())

export const path = computed(() => location.value.pathname)
/** The query as it is in the address. */
export const address = computed(() => new URLSearchParams(location.value.search))
const minute = computed(() => Math.floor(now.value / 60_000) * 60_000)
/** The query with its relative times resolved: `since=1h` becomes a time, and moves on every minute. */
export const query = computed(() => {
  const meant = new URLSearchParams(address.value)
  for (const name of ['since', 'until']) {
    const given = meant.get(name)
    if (given !== null) meant.set(name, absoluteTime(given, minute.value))
  }
  return meant
})

window.addEventListener('popstate', () => (location.value = read()))

/** The address of a page below the base path. */
export function href(to: string): string {
  return basePath + to
}

export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', href(to))
  else history.replaceState(null, '', href(to))
  location.value = read()
  if (how === 'push') window.scrollTo(0, 0)
}

/** Changes some of the query and keeps the rest; what is empty is left out. */
export function setQuery(
  change: Readonly<Record<string, string | readonly string[] | null>>,
  how: 'push' | 'replace' = 'push',
): void {
  const next = new URLSearchParams(address.value)
  for (const [name, value] of Object.entries(change)) {
    next.delete(name)
    for (const each of [value ?? []].flat()) if (each !== '') next.append(name, each)
  }
  const search = next.toString()
  go(search === '' ? path.value : `${path.value}?${search}`, how)
}

/** A click on a link within the dashboard changes the page without a reload; the browser handles all others. */
export function followLinks(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || event.defaultPrevented || !isPlainClick(event) || !leadsToPage(link)) return
  event.preventDefault()
  const { pathname, search } = new URL(link.href)
  go(pathname.slice(basePath.length) + search)
}

function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey
}

function leadsToPage(link: HTMLAnchorElement): boolean {
  const { origin, pathname } = new URL(link.href)
  const isBelow = origin === window.location.origin && pathname.startsWith(basePath)
  // The server answers everything below `api`, and renders the page of the API.
  const isApi = /^api(\/|$)/.test(pathname.slice(basePath.length))
  return isBelow && !isApi && link.target === '' && !link.hasAttribute('download')
}

function read(): { readonly pathname: string; readonly search: string } {
  const { pathname, search } = window.location
  return { pathname: decoded(pathname.slice(basePath.length).replace(/\/$/, '')), search }
}

/** An address that cannot be decoded leads to the page for unknown addresses, not to a blank page. */
function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}
