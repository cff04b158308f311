import { maskedUrl } from '../../../core/endpoint/masked-url.ts'
import { expected } from '../../../core/errors.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import type { Posthorn } from '../../../posthorn.ts'
import type { EndpointOverview } from '../../../core/ports/figures.ts'
import { listQuery, pageOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { listOf, uid, freeText } from '../../schemas/common.ts'
import {
  endpointDetailOut,
  endpointOverviewOut,
  toEndpointDetail,
  toEndpointOverview,
} from '../../schemas/operator/endpoint/endpoint-overview.ts'
import { reasonIn } from './deliveries.ts'
import { endpointIn, endpointInScope, parameter, scopeOf } from '../lookup.ts'

const path = '/api/v1/endpoint'
const summaries = {
  pause: 'Lets an endpoint collect its deliveries; nothing is sent to it.',
  resume: 'Sends to a paused endpoint again.',
  enable: 'Lets a disabled endpoint get messages again; its failures are forgotten.',
  disable: 'Gives an endpoint nothing new, and sends it nothing.',
}

/** Endpoints of all applications, and their state. */
export const endpointOverviewOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint-overview.list',
    method: 'get',
    path,
    summary: 'Lists endpoints with their health, backlog and last 24 hours.',
    realm: 'everyone',
    access: 'read',
    query: listQuery('ep').extend({ application: uid.optional(), text: freeText(200).min(1).optional() }),
    answers: { 200: listOf(endpointOverviewOut) },
    async handle(call) {
      const { posthorn, query } = call
      const application = await scopeOf(call, query.application)
      const page = await pageOf(
        query,
        'ascending',
        (wanted) => posthorn.endpoints.list({ application, text: query.text }, wanted),
        ({ id }) => id,
      )
      const found = page.data.filter((endpoint) => call.caller.access === 'write' || showsText(endpoint, query.text))
      return answer(200, { ...page, data: (await posthorn.figures.of(found)).map(toEndpointOverview) })
    },
  }),
  operation({
    id: 'v1.endpoint-overview.get',
    method: 'get',
    path: `${path}/{endpoint_id}`,
    summary: 'Shows an endpoint with its health, its settings, and how its attempts failed.',
    realm: 'everyone',
    access: 'read',
    answers: { 200: endpointDetailOut },
    async handle(call) {
      const { posthorn, params } = call
      const endpoint = await endpointInScope(posthorn, await scopeOf(call, null), parameter(params, 'endpoint_id'))
      const { figures } = posthorn
      const [overview, failures, lastFailure, nextRetry] = await Promise.all([
        overviewOf(posthorn, endpoint),
        figures.failuresOf(endpoint.id),
        figures.lastFailureOf(endpoint.id),
        figures.nextRetryOf(endpoint.id),
      ])
      return answer(200, toEndpointDetail(overview, { failures, lastFailure, nextRetry }))
    },
  }),
  ...(['pause', 'resume', 'enable', 'disable'] as const).map((verb) =>
    operation({
      id: `v1.endpoint.${verb}`,
      method: 'post',
      path: `/api/v1/app/{app_id}/endpoint/{endpoint_id}/${verb}`,
      summary: summaries[verb],
      realm: 'application',
      access: 'write',
      body: reasonIn,
      answers: { 200: endpointOverviewOut },
      async handle(call) {
        const { posthorn } = call
        const { id } = await endpointIn(call)
        return answer(
          200,
          toEndpointOverview(await overviewOf(posthorn, await posthorn.endpoints[verb](id, call.by(call.body.reason)))),
        )
      },
    }),
  ),
]

/** Whether the text occurs in what a reader can see. Otherwise a search would reveal masked text, letter by letter. */
function showsText({ url, description, uid: own }: Endpoint, text: string | undefined): boolean {
  const seen = `${maskedUrl(url)} ${description} ${own ?? ''}`.toLowerCase()
  return text === undefined || seen.includes(text.toLowerCase())
}

async function overviewOf(posthorn: Posthorn, endpoint: Endpoint): Promise<EndpointOverview> {
  const [overview] = await posthorn.figures.of([endpoint])
  if (overview !== undefined) return overview
  throw expected('not_found', 'endpoint', 'the id of an endpoint that exists', endpoint.id)
}
