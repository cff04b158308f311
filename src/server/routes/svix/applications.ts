import { z } from 'zod'
import { isAnyId } from '../../../core/ids.ts'
import { listQuery, pageOf } from '../../request/pagination.ts'
import { orNull } from '../../errors/not-found.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import {
  applicationChange,
  applicationIn,
  applicationOut,
  applicationPatch,
  applicationSettings,
  toApplicationOut,
} from '../../schemas/svix/application.ts'
import { flag, listOf } from '../../schemas/common.ts'

const path = '/api/v1/app'
const onePath = '/api/v1/app/{app_id}'

export const applicationOperations: readonly Operation[] = [
  operation({
    id: 'v1.application.list',
    method: 'get',
    path,
    summary: 'All applications.',
    realm: 'server',
    access: 'read',
    query: listQuery('app'),
    answers: { 200: listOf(applicationOut).meta({ id: 'ListResponse_ApplicationOut_' }) },
    async handle({ posthorn, query }) {
      const page = await pageOf(
        query,
        'ascending',
        (wanted) => posthorn.applications.list(wanted),
        ({ id }) => id,
      )
      return answer(200, { ...page, data: page.data.map(toApplicationOut) })
    },
  }),
  operation({
    id: 'v1.application.create',
    method: 'post',
    path,
    summary: 'Creates an application; with `get_if_exists`, returns an existing one with the same uid.',
    realm: 'server',
    access: 'write',
    query: z.object({ get_if_exists: flag.default(false) }),
    body: applicationIn,
    answers: { 201: applicationOut, 200: applicationOut },
    async handle({ posthorn, query, body, by }) {
      const present =
        query.get_if_exists && typeof body.uid === 'string' ? await orNull(posthorn.applications.get(body.uid)) : null
      if (present !== null) return answer(200, toApplicationOut(present))
      return answer(201, toApplicationOut(await posthorn.applications.create(applicationSettings(body), by())))
    },
  }),
  operation({
    id: 'v1.application.get',
    method: 'get',
    path: onePath,
    summary: 'One application, by id or uid.',
    realm: 'application',
    access: 'read',
    answers: { 200: applicationOut },
    handle: async ({ application }) => answer(200, toApplicationOut(application())),
  }),
  operation({
    id: 'v1.application.update',
    method: 'put',
    path: onePath,
    summary: 'Replaces an application; creates it if there is none with that uid.',
    realm: 'server',
    access: 'write',
    findsApplication: true,
    body: applicationIn,
    answers: { 200: applicationOut, 201: applicationOut },
    async handle({ posthorn, params, body, by }) {
      const name = params['app_id'] ?? ''
      // A uid in the path is not removed because it is missing in the body: the same request must find the application again.
      const settings = { ...applicationSettings(body), uid: body.uid ?? (isAnyId(name) ? null : name) }
      const present = await orNull(posthorn.applications.get(name))
      // An unknown id was deleted or never existed: nothing can be created under it.
      if (present !== null || isAnyId(name))
        return answer(200, toApplicationOut(await posthorn.applications.update(present?.id ?? name, settings, by())))
      return answer(201, toApplicationOut(await posthorn.applications.create(settings, by())))
    },
  }),
  operation({
    id: 'v1.application.patch',
    method: 'patch',
    path: onePath,
    summary: 'Changes the given fields of an application.',
    realm: 'server',
    access: 'write',
    body: applicationPatch,
    answers: { 200: applicationOut },
    handle: async ({ posthorn, application, body, by }) =>
      answer(
        200,
        toApplicationOut(await posthorn.applications.update(application().id, applicationChange(body), by())),
      ),
  }),
  operation({
    id: 'v1.application.delete',
    method: 'delete',
    path: onePath,
    summary:
      'Deletes an application with all its data; its open deliveries end dead. From then on none of it is shown, and a job erases it.',
    realm: 'server',
    access: 'write',
    answers: { 204: null },
    async handle({ posthorn, application, by }) {
      await posthorn.applications.delete(application().id, by())
      return answer(204)
    },
  }),
]
