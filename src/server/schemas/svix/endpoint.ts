import { z } from 'zod'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import type { PayloadFilter } from '../../../core/message/payload-filter.ts'
import { hmacPrefix, signingKeyPrefix } from '../../../core/signing/signature.ts'
import { isoTime } from '../../../core/time.ts'
import { channel, dateTime, eventTypeName, metadata, rate, uid } from '../common.ts'
import { endpointAuthentication, toAuthenticationOut } from './endpoint-authentication.ts'

const typeFilter = z
  .string()
  .max(258)
  .regex(
    /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?$/,
    'an event type, or the words that it begins with and .*, such as invoice.*',
  )
const typeFilters = z.array(typeFilter).min(1).max(200)
const channels = z.array(channel).min(1).max(10)
const headers = z.record(z.string().max(100), z.string().max(4096)).meta({ maxProperties: 50 })
const secret = z
  .string()
  .regex(/^(whsec_|whsk_)?[a-zA-Z0-9+/=]{32,100}$/, 'Expected "whsec_" (or nothing) and the base64 of 24 to 64 bytes.')
const filter = z
  .custom<PayloadFilter>(
    (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
    'Expected a condition, such as {"path": "total", "greater": 100}.',
  )
  .meta({
    id: 'PayloadFilter',
    type: 'object',
    description: 'Conditions that the payload must match: comparisons of JSON paths, joined by and, or, not.',
  })

/** The fields that all requests for an endpoint have in common. */
const given = {
  url: z.string().min(1).max(2000),
  description: z.string().max(1000),
  uid: uid.nullish(),
  disabled: z.boolean(),
  throttleRate: rate.nullish(),
  rateLimit: rate.nullish().meta({ deprecated: true, description: 'The older name of `throttleRate`.' }),
  metadata,
  version: z.int().min(0).nullish().meta({ deprecated: true }),
  policy: z.string().min(1).max(100).nullish().meta({ description: 'The retry policy, by name.' }),
  filter: filter.nullish(),
  authentication: endpointAuthentication.nullish(),
  paused: z
    .boolean()
    .nullish()
    .meta({ description: 'A paused endpoint collects its deliveries; nothing is sent to it.' }),
}
const types = {
  eventTypes: typeFilters.nullish(),
  filterTypes: typeFilters.nullish().meta({ deprecated: true, description: 'The older name of `eventTypes`.' }),
  channels: channels.nullish(),
}

export const endpointIn = z
  .object({
    ...given,
    ...types,
    description: given.description.default(''),
    disabled: given.disabled.default(false),
    metadata: metadata.default({}),
    secret: secret.nullish(),
    headers: headers.nullish(),
  })
  .meta({ id: 'EndpointIn' })

export const endpointUpdate = endpointIn.omit({ secret: true, headers: true }).meta({ id: 'EndpointUpdate' })

/** Fields that are left out stay unchanged; null removes one. */
export const endpointPatch = z
  .object({
    ...given,
    url: given.url.optional(),
    description: given.description.optional(),
    disabled: given.disabled.optional(),
    metadata: metadata.optional(),
    secret: secret.nullish(),
    eventTypes: z.array(typeFilter).max(200).nullish(),
    filterTypes: z.array(typeFilter).max(200).nullish().meta({ deprecated: true }),
    channels: z.array(channel).max(10).nullish(),
  })
  .meta({ id: 'EndpointPatch' })

const shown = {
  id: z.string(),
  uid: uid.nullable(),
  url: z.string(),
  description: z.string(),
  disabled: z.boolean(),
  eventTypes: z.array(typeFilter).nullable(),
  filterTypes: z.array(typeFilter).nullable().meta({ deprecated: true }),
  channels: z.array(channel).nullable(),
  throttleRate: z.int().nullable(),
  rateLimit: z.int().nullable().meta({ deprecated: true }),
  version: z.int().meta({ deprecated: true }),
  createdAt: dateTime,
  updatedAt: dateTime,
}

export const endpointOut = z
  .object({
    ...shown,
    metadata,
    policy: z.string(),
    filter: filter.nullable(),
    authentication: endpointAuthentication.nullable(),
    paused: z.boolean(),
    status: z.enum(['active', 'paused', 'disabled']),
    statusReason: z.string().nullable().meta({ description: 'Who or what paused or disabled it.' }),
  })
  .meta({ id: 'EndpointOut' })

/** An endpoint as the destination of one message; the delivery status is added to it. */
export const shownEndpoint = z.object(shown)

export const endpointHeadersIn = z.object({ headers }).meta({ id: 'EndpointHeadersIn' })
export const endpointHeadersPatchIn = z
  .object({
    headers: z.record(z.string().max(100), z.string().max(4096).nullable()).meta({ maxProperties: 50 }),
    deleteHeaders: z.array(z.string().max(100)).max(50).optional(),
  })
  .meta({ id: 'EndpointHeadersPatchIn' })
export const endpointHeadersOut = z
  .object({
    headers,
    sensitive: z
      .array(z.string())
      .meta({ description: 'Headers that are set. Values are never shown: any may be a credential.' }),
  })
  .meta({ id: 'EndpointHeadersOut' })

export const endpointSecretOut = z.object({ key: z.string() }).meta({ id: 'EndpointSecretOut' })
export const endpointSecretRotateIn = z
  .object({
    key: secret.nullish(),
    gracePeriodSeconds: z
      .int()
      .min(0)
      .max(604_800)
      .nullish()
      .meta({ description: 'How long the old secret stays valid after the new one is created; a day by default.' }),
  })
  .meta({ id: 'EndpointSecretRotateIn' })

export const endpointStats = z
  .object({ success: z.int(), pending: z.int(), sending: z.int(), fail: z.int(), canceled: z.int() })
  .meta({ id: 'EndpointStats' })
export const eventExampleIn = z.object({ eventType: eventTypeName }).meta({ id: 'EventExampleIn' })

export function toEndpointOut(endpoint: Endpoint): z.input<typeof endpointOut> {
  const { status, statusReason, policy, filter: wanted } = endpoint
  return {
    ...toShownEndpoint(endpoint),
    metadata: endpoint.metadata,
    policy,
    filter: wanted,
    authentication: toAuthenticationOut(endpoint.authentication),
    paused: status === 'paused',
    status: status === 'deleted' ? 'disabled' : status,
    statusReason,
  }
}

export function toShownEndpoint(endpoint: Endpoint): z.input<typeof shownEndpoint> {
  const wanted = endpoint.types.length === 0 ? null : [...endpoint.types]
  return {
    id: endpoint.id,
    uid: endpoint.uid,
    url: endpoint.url,
    description: endpoint.description,
    disabled: endpoint.status === 'disabled' || endpoint.status === 'deleted',
    eventTypes: wanted,
    filterTypes: wanted,
    channels: endpoint.channels.length === 0 ? null : [...endpoint.channels],
    throttleRate: endpoint.ratePerSecond,
    rateLimit: endpoint.ratePerSecond,
    version: 1,
    createdAt: isoTime(endpoint.createdAt),
    updatedAt: isoTime(endpoint.updatedAt),
  }
}

/** Clients can leave out the prefix of a secret. */
export function withPrefix(key: string): string {
  return key.startsWith(hmacPrefix) || key.startsWith(signingKeyPrefix) ? key : `${hmacPrefix}${key}`
}

/** Any of them may be a credential, whatever its name: only the names are shown. */
export function toHeadersOut(all: Readonly<Record<string, string>>): z.input<typeof endpointHeadersOut> {
  return { headers: {}, sensitive: Object.keys(all) }
}
