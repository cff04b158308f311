import { orNull } from '../../../errors/not-found.ts'
import { answer, operation, RawJson } from '../../../operation.ts'
import type { Operation } from '../../../operation.ts'
import { eventExampleIn } from '../../../schemas/svix/endpoint.ts'
import { messageOut, messageText } from '../../../schemas/svix/message.ts'
import { endpointIn } from '../../lookup.ts'
import { hiddenType, isVisible } from '../event-types.ts'

/** Tries whether an endpoint answers. */
export const sendExampleOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint.send-example',
    method: 'post',
    path: '/api/v1/app/{app_id}/endpoint/{endpoint_id}/send-example',
    summary: 'Sends an endpoint an example of an event type.',
    realm: 'application',
    access: 'write',
    limitedBy: 'application',
    body: eventExampleIn,
    answers: { 200: messageOut },
    async handle(call) {
      const { id } = await endpointIn(call)
      const { eventType } = call.body
      const definition = await orNull(call.posthorn.eventTypes.get(eventType))
      if (definition !== null && !isVisible(definition, call.caller)) throw hiddenType(eventType)
      return answer(200, new RawJson(messageText(await call.posthorn.endpoints.sendExample(id, eventType), true)))
    },
  }),
]
