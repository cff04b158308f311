import { randomBytes } from 'node:crypto'

/** Where a secret could come to light. */
export const sinks = ['database', 'logs', 'metrics', 'errors', 'stream', 'audit', 'pages'] as const
export type Sink = (typeof sinks)[number]
export type Contents = Readonly<Record<Sink, string>>

/** A secret that nobody else has, and where it must never be seen. */
export interface Canary {
  readonly name: string
  readonly value: string
  readonly forbidden: readonly Sink[]
}

/** All but the places where it belongs. */
export function allBut(...allowed: readonly Sink[]): Sink[] {
  return sinks.filter((sink) => !allowed.includes(sink))
}

/** Collects what was planted. */
export class Canaries {
  readonly all: Canary[] = []

  /** A value that was never seen before. */
  plant(name: string, forbidden: readonly Sink[] = sinks): string {
    return this.note(name, `canary${randomBytes(12).toString('hex')}`, forbidden)
  }

  /** One that somebody else has made. */
  note(name: string, value: string, forbidden: readonly Sink[] = sinks): string {
    this.all.push({ name, value, forbidden })
    return value
  }
}

/** What was seen where it must not be, in any of the usual forms. */
export function leaks(canaries: readonly Canary[], contents: Contents): string[] {
  return seen(canaries, contents, ({ forbidden }) => forbidden)
}

/** What was seen where it belongs: a search that finds nothing at all has not looked. */
export function sightings(canaries: readonly Canary[], contents: Contents): string[] {
  return seen(canaries, contents, ({ forbidden }) => allBut(...forbidden))
}

function seen(canaries: readonly Canary[], contents: Contents, where: (canary: Canary) => readonly Sink[]): string[] {
  return canaries.flatMap((canary) =>
    where(canary)
      .filter((sink) => formsOf(canary.value).some((form) => contents[sink].includes(form)))
      .map((sink) => `${canary.name} in ${sink}`),
  )
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const decoded = Buffer.from(value.replace(/^whsec_/, ''), 'base64').toString('latin1')
  const forms = [value, encodeURIComponent(value), bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')]
  // What is base64 itself could also lie there decoded.
  return value.startsWith('whsec_') ? [...forms, decoded] : forms
}
