import { z } from 'zod'
import type { Page, Scan } from '../../../core/ports/directory/page.ts'
import { expected } from '../../../core/errors.ts'
import type { PosthornError } from '../../../core/errors.ts'
import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import type { Posthorn } from '../../../posthorn.ts'
import { listQuery, scanOf } from '../../request/pagination.ts'
import { orNull } from '../../errors/not-found.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import type { Caller } from '../../request/caller.ts'
import { flag, listOf } from '../../schemas/common.ts'
import {
  eventTypeIn,
  eventTypeOut,
  eventTypePatch,
  eventTypeUpdate,
  toEventTypeOut,
} from '../../schemas/svix/event-type.ts'
import { parameter } from '../lookup.ts'

const listQueryOf = listQuery('name').extend({ include_archived: flag.optional(), with_content: flag.optional() })
const one = '/api/v1/event-type/{event_type_name}'

/** The event types, which all applications share. */
export const eventTypeOperations: readonly Operation[] = [
  operation({
    id: 'v1.event-type.list',
    method: 'get',
    path: '/api/v1/event-type',
    summary: 'Lists event types by name.',
    realm: 'everyone',
    access: 'read',
    query: listQueryOf,
    answers: { 200: listOf(eventTypeOut) },
    async handle({ posthorn, query, caller }) {
      const archived = query.include_archived ?? false
      const { data, ...rest } = await scanOf(
        query,
        'ascending',
        (page) => visibleTypes(posthorn, caller, archived, page),
        ({ name }) => name,
      )
      return answer(200, {
        ...rest,
        data: data.map((eventType) => toEventTypeOut(eventType, query.with_content ?? false)),
      })
    },
  }),
  operation({
    id: 'v1.event-type.create',
    method: 'post',
    path: '/api/v1/event-type',
    summary: 'Creates an event type. An archived one with the same name is restored.',
    realm: 'server',
    access: 'write',
    body: eventTypeIn,
    answers: { 201: eventTypeOut },
    async handle({ posthorn, body: { name, ...settings }, by }) {
      const before = await orNull(posthorn.eventTypes.get(name))
      const eventType =
        before?.archived === true
          ? await posthorn.eventTypes.update(name, settings, by())
          : await posthorn.eventTypes.create({ name, ...settings }, by())
      return answer(201, toEventTypeOut(eventType))
    },
  }),
  operation({
    id: 'v1.event-type.get',
    method: 'get',
    path: one,
    summary: 'Shows an event type.',
    realm: 'everyone',
    access: 'read',
    answers: { 200: eventTypeOut },
    async handle({ posthorn, params, caller }) {
      const name = parameter(params, 'event_type_name')
      const found = await posthorn.eventTypes.get(name)
      if (!isVisible(found, caller)) throw hiddenType(name)
      return answer(200, toEventTypeOut(found))
    },
  }),
  operation({
    id: 'v1.event-type.update',
    method: 'put',
    path: one,
    summary: 'Sets an event type, or creates it.',
    realm: 'server',
    access: 'write',
    body: eventTypeUpdate,
    answers: { 200: eventTypeOut, 201: eventTypeOut },
    async handle({ posthorn, params, body, by }) {
      const name = parameter(params, 'event_type_name')
      if ((await orNull(posthorn.eventTypes.get(name))) === null)
        return answer(201, toEventTypeOut(await posthorn.eventTypes.create({ name, ...body }, by())))
      return answer(
        200,
        toEventTypeOut(
          await posthorn.eventTypes.update(
            name,
            { ...body, schemas: body.schemas ?? null, featureFlag: body.featureFlag ?? null },
            by(),
          ),
        ),
      )
    },
  }),
  operation({
    id: 'v1.event-type.patch',
    method: 'patch',
    path: one,
    summary: 'Changes the given fields of an event type.',
    realm: 'server',
    access: 'write',
    body: eventTypePatch,
    answers: { 200: eventTypeOut },
    async handle({ posthorn, params, body: { description, ...rest }, by }) {
      const change = { ...rest, ...(description !== undefined && { description }) }
      const name = parameter(params, 'event_type_name')
      return answer(200, toEventTypeOut(await posthorn.eventTypes.update(name, change, by())))
    },
  }),
  operation({
    id: 'v1.event-type.delete',
    method: 'delete',
    path: one,
    summary: 'Archives an event type; with `expunge=true` deletes it.',
    realm: 'server',
    access: 'write',
    query: z.object({ expunge: flag.optional() }),
    answers: { 204: null },
    async handle({ posthorn, params, query, by }) {
      const name = parameter(params, 'event_type_name')
      if (query.expunge === true) await posthorn.eventTypes.delete(name, by())
      else await posthorn.eventTypes.update(name, { archived: true }, by())
      return answer(204)
    },
  }),
]

/** The part of a page that the caller can see: customers only types without a feature flag, or with one of theirs. */
async function visibleTypes(
  posthorn: Posthorn,
  caller: Caller,
  archived: boolean,
  page: Page,
): Promise<Scan<EventTypeDefinition>> {
  const rows = await posthorn.eventTypes.list({ archived }, { ...page, limit: page.limit + 1 })
  const read = rows.slice(0, page.limit)
  const items = read.filter((eventType) => isVisible(eventType, caller))
  return { items, next: rows.length > page.limit ? (read.at(-1)?.name ?? null) : null }
}

export function isVisible({ featureFlag }: EventTypeDefinition, { portal }: Caller): boolean {
  return featureFlag === null || portal === null || portal === undefined || portal.featureFlags.includes(featureFlag)
}

/** The same error as for one that does not exist. */
export function hiddenType(name: string): PosthornError {
  return expected('not_found', 'event type', 'the name of one that exists', name)
}
