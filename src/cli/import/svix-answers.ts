import { z } from 'zod'

// The fields that are read from Svix's responses, under their newer and older names.

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '')
const flag = z
  .boolean()
  .nullish()
  .transform((given) => given ?? false)
const nameOrNull = z
  .string()
  .nullish()
  .transform((given) => given ?? null)
const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((given) => given ?? {})
const names = z.array(z.string()).nullish()
const rate = z.number().nullish()

export const svixApplication = z
  .object({ id: z.string(), uid: nameOrNull, name: z.string(), throttleRate: rate, rateLimit: rate, metadata })
  .transform(({ rateLimit, throttleRate, ...rest }) => ({ ...rest, throttleRate: rateOf(throttleRate ?? rateLimit) }))

export const svixEndpoint = z
  .object({
    id: z.string(),
    uid: nameOrNull,
    url: z.string(),
    description: text,
    disabled: flag,
    eventTypes: names,
    filterTypes: names,
    channels: names,
    throttleRate: rate,
    rateLimit: rate,
    metadata,
  })
  .transform(({ rateLimit, filterTypes, throttleRate, eventTypes, channels, ...rest }) => ({
    ...rest,
    eventTypes: someOf(eventTypes ?? filterTypes),
    channels: someOf(channels),
    throttleRate: rateOf(throttleRate ?? rateLimit),
  }))

export const svixSecret = z.object({ key: z.string() })
export const svixHeaders = z.object({ headers: z.record(z.string(), z.string()), sensitive: z.array(z.string()) })
/** Only the hosted Svix has these. */
export const svixTransformation = z.object({ enabled: flag })

export const svixEventType = z.object({
  name: z.string(),
  description: text,
  schemas: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((given) => given ?? null),
  archived: flag,
  deprecated: flag,
  featureFlag: nameOrNull,
})

export type SvixApplication = z.output<typeof svixApplication>
export type SvixEndpoint = z.output<typeof svixEndpoint>
export type SvixHeaders = z.output<typeof svixHeaders>
export type SvixEventType = z.output<typeof svixEventType>

/** Null for no limit. */
function rateOf(given: number | null | undefined): number | null {
  return typeof given === 'number' && given > 0 ? given : null
}

/** Null for all. */
function someOf(given: readonly string[] | null | undefined): readonly string[] | null {
  return given === null || given === undefined || given.length === 0 ? null : given
}
