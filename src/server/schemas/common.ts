import { z } from 'zod'
import { isoTime } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'

/** A user's own id, or one of ours, as Svix allows them. */
export const uid = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[a-zA-Z0-9\-_.]+$/, 'letters, digits, - _ or .')
export const channel = z
  .string()
  .max(128)
  .regex(/^[a-zA-Z0-9\-_.]+$/, 'letters, digits, - _ or .')
export const eventTypeName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, 'words of letters, digits, _ or - joined by dots, such as invoice.paid')
/** Free text written by people. Databases cannot store a zero character in it. */
export function freeText(most: number) {
  return z
    .string()
    .max(most)
    .refine((given) => !given.includes('\0'), 'Expected text without a zero character.')
}
export const metadata = z.record(z.string().max(256), z.string().max(4096)).meta({ maxProperties: 50 })
export const rate = z.int().min(1).max(65_535)
export const dateTime = z.iso.datetime({ offset: true })

/** The body of a refusal. */
export const httpError = z.object({ code: z.string(), detail: z.string() }).meta({ id: 'HttpErrorOut' })

/** A page of a list, newest or oldest first; `iterator` is the end of the previous page. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    done: z.boolean(),
    iterator: z.string().nullable(),
    prevIterator: z.string().nullable(),
  })
}

export const order = z.enum(['ascending', 'descending'])

/** A query can contain a list as repeated parameters, or separated by commas; an empty one is no list. */
export const names = z.union([z.string(), z.array(z.string())]).transform((given) => {
  const all = [given]
    .flat()
    .flatMap((text) => text.split(','))
    .filter((name) => name !== '')
  return all.length === 0 ? undefined : all
})
export const flag = z.enum(['true', 'false']).transform((given) => given === 'true')

export function timeOrNull(at: Instant | null): string | null {
  return at === null ? null : isoTime(at)
}
