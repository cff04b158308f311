import { z } from 'zod'
import type { Application } from '../../../core/endpoint/endpoint.ts'
import { given } from '../../../core/given.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime, metadata, rate, uid } from '../common.ts'

const olderRate = rate.nullish().meta({ deprecated: true, description: 'The older name of `throttleRate`.' })

/** An application in a request. */
export const applicationIn = z
  .object({
    name: z.string().min(1).max(256),
    uid: uid.nullish(),
    throttleRate: rate.nullish(),
    rateLimit: olderRate,
    metadata: metadata.default({}),
  })
  .meta({ id: 'ApplicationIn' })

/** Fields that are left out stay unchanged; null removes one. */
export const applicationPatch = z
  .object({
    name: z.string().min(1).max(256).optional(),
    uid: uid.nullish(),
    throttleRate: rate.nullish(),
    rateLimit: olderRate,
    metadata: metadata.optional(),
  })
  .meta({ id: 'ApplicationPatch' })

export const applicationOut = z
  .object({
    id: z.string(),
    uid: uid.nullable(),
    name: z.string(),
    throttleRate: rate.nullable(),
    rateLimit: rate.nullable().meta({ deprecated: true }),
    metadata,
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'ApplicationOut' })

/** The resource's settings from a request: all of them. */
export function applicationSettings(input: z.output<typeof applicationIn>): Required<ApplicationSettings> {
  return {
    name: input.name,
    uid: input.uid ?? null,
    ratePerSecond: input.throttleRate ?? input.rateLimit ?? null,
    metadata: input.metadata,
  }
}

/** The resource's settings from a request: only the given ones. */
export function applicationChange(patch: z.output<typeof applicationPatch>): ApplicationSettings {
  const { name, uid: ownName, metadata: remembered } = patch
  return given({
    name,
    uid: ownName,
    ratePerSecond: patch.throttleRate === undefined ? patch.rateLimit : patch.throttleRate,
    metadata: remembered,
  })
}

export function toApplicationOut({
  id,
  uid: ownName,
  name,
  ratePerSecond,
  metadata: remembered,
  createdAt,
  updatedAt,
}: Application): z.input<typeof applicationOut> {
  return {
    id,
    uid: ownName,
    name,
    throttleRate: ratePerSecond,
    rateLimit: ratePerSecond,
    metadata: remembered,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

type ApplicationSettings = Partial<Pick<Application, 'name' | 'uid' | 'ratePerSecond' | 'metadata'>>
