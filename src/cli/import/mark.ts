import { createHash } from 'node:crypto'

/** The metadata key of the mark. */
export const markName = 'svix'

/** Where a resource came from and its state there: a repeated import recognises its own resources, and skips those unchanged in Svix. */
export interface Mark {
  readonly id: string
  readonly settings: string
  readonly secret: string
}

export function markOf(id: string, settings: unknown, secret = ''): Mark {
  return { id, settings: digest(JSON.stringify(settings, inOrder)), secret: digest(secret) }
}

export function markText({ id, settings, secret }: Mark): string {
  return [id, settings, secret].join(' ')
}

/** Null for a resource that was not imported, and if there is none. */
export function markIn(resource: Marked | undefined): Mark | null {
  const [id, settings, secret, ...more] = resource?.metadata[markName]?.split(' ') ?? []
  if (id === undefined || settings === undefined || secret === undefined || more.length > 0) return null
  return { id, settings, secret }
}

interface Marked {
  readonly metadata: Readonly<Record<string, string>>
}

/** Enough to detect a change; a secret is too long to be guessed from it. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** The same text for the same content, regardless of the order of fields. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
