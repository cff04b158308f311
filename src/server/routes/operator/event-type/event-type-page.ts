import type { Fault } from '../../../../core/json-schema/evaluate.ts'
import { answer, operation } from '../../../operation.ts'
import type { Operation } from '../../../operation.ts'
import { listQuery, pageOf } from '../../../request/pagination.ts'
import { flag, freeText, listOf } from '../../../schemas/common.ts'
import {
  eventTypeOverviewOut,
  schemaCheckIn,
  schemaCheckOut,
  schemaVersionIn,
  toEventTypeOverview,
} from '../../../schemas/operator/event-type.ts'
import { eventTypeOut, toEventTypeOut } from '../../../schemas/svix/event-type.ts'
import { parameter } from '../../lookup.ts'

const overviewQuery = listQuery('name').extend({
  archived: flag.optional().meta({ description: 'Only those that are archived, or only those that are not.' }),
  text: freeText(256).min(1).optional().meta({ description: 'Part of the name or the description.' }),
})

/** Event types as seen by those who maintain them. */
export const eventTypePageOperations: readonly Operation[] = [
  operation({
    id: 'v1.event-type-overview.list',
    method: 'get',
    path: '/api/v1/event-type-overview',
    summary: 'Lists event types by name, archived ones too, with how many versions of a schema each has.',
    // Customers only see event types without a feature flag, or with one of theirs: `v1.event-type.list` is for them.
    realm: 'server',
    access: 'read',
    query: overviewQuery,
    answers: { 200: listOf(eventTypeOverviewOut) },
    async handle({ posthorn, query }) {
      const { archived, text } = query
      const filter = { archived: archived === undefined ? true : archived ? ('only' as const) : false, text }
      const { data, ...rest } = await pageOf(
        query,
        'ascending',
        (page) => posthorn.eventTypes.list(filter, page),
        ({ name }) => name,
      )
      return answer(200, { ...rest, data: data.map(toEventTypeOverview) })
    },
  }),
  operation({
    id: 'v1.event-type.check-schema',
    method: 'post',
    path: '/api/v1/event-type/check-schema',
    summary: 'Says what is wrong with a JSON Schema, or with an example by it, and where. Nothing is stored.',
    realm: 'server',
    access: 'write',
    body: schemaCheckIn,
    answers: { 200: schemaCheckOut },
    handle: async ({ posthorn, body: { schema, example } }) => {
      const found = posthorn.eventTypes.check(schema, example)
      return answer(200, { problem: problemOf(found.schema), exampleProblem: problemOf(found.value) })
    },
  }),
  operation({
    id: 'v1.event-type.set-schema',
    method: 'put',
    path: '/api/v1/event-type/{event_type_name}/schema/{version}',
    summary: 'Sets or takes away one version of the schemas of an event type, and leaves the others as they are.',
    realm: 'server',
    access: 'write',
    body: schemaVersionIn,
    answers: { 200: eventTypeOut },
    async handle({ posthorn, params, body, by }) {
      const name = parameter(params, 'event_type_name')
      const change = { version: parameter(params, 'version'), ...body }
      return answer(200, toEventTypeOut(await posthorn.eventTypes.setSchema(name, change, by())))
    },
  }),
]

function problemOf(fault: Fault | null): { readonly pointer: string; readonly message: string } | null {
  return fault === null ? null : { pointer: fault.pointer, message: fault.says }
}
