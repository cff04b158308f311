import { expected } from '../../../../core/errors.ts'
import { answer, operation } from '../../../operation.ts'
import type { Operation } from '../../../operation.ts'
import { listQuery, pageOf } from '../../../request/pagination.ts'
import { freeText, listOf } from '../../../schemas/common.ts'
import { applicationOverviewOut, toApplicationOverview } from '../../../schemas/operator/application-overview.ts'

const path = '/api/v1/application'
// Limits the cost of a list: its figures cover at most this many endpoints per application.
const endpointsInList = 100
const endpointsOfOne = 1_000

/** Applications and the state of their endpoints. */
export const applicationOverviewOperations: readonly Operation[] = [
  operation({
    id: 'v1.application-overview.list',
    method: 'get',
    path,
    summary: 'Lists applications with health, backlog and the last 24 hours of their endpoints, newest first.',
    realm: 'server',
    access: 'read',
    query: listQuery('app').extend({
      text: freeText(200).min(1).optional().meta({ description: 'Looked for in name, uid and id.' }),
    }),
    answers: { 200: listOf(applicationOverviewOut) },
    async handle({ posthorn, query }) {
      const page = await pageOf(
        query,
        'descending',
        (wanted) => posthorn.applications.list(wanted, { text: query.text }),
        ({ id }) => id,
      )
      const overviews = await posthorn.figures.ofApplications(page.data, endpointsInList)
      return answer(200, { ...page, data: overviews.map(toApplicationOverview) })
    },
  }),
  operation({
    id: 'v1.application-overview.get',
    method: 'get',
    path: `${path}/{app_id}`,
    summary: 'Shows an application with health, backlog and the last 24 hours of its endpoints.',
    realm: 'server',
    access: 'read',
    answers: { 200: applicationOverviewOut },
    async handle({ posthorn, application }) {
      const [overview] = await posthorn.figures.ofApplications([application()], endpointsOfOne)
      if (overview === undefined)
        throw expected('not_found', 'application', 'the id or uid of an application that exists', application().id)
      return answer(200, toApplicationOverview(overview))
    },
  }),
]
