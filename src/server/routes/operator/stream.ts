import { z } from 'zod'
import type { StreamItem } from '../../../core/ports/events.ts'
import { isoTime } from '../../../core/time.ts'
import { ownerOf } from '../../request/caller.ts'
import { operation } from '../../operation.ts'
import type { Call, Operation } from '../../operation.ts'
import { shownJson } from '../../request/shown-json.ts'
import { names, uid } from '../../schemas/common.ts'
import { endpointInScope, scopeOf } from '../lookup.ts'

/** Live events. */
export const streamOperations: readonly Operation[] = [
  operation({
    id: 'v1.stream.open',
    method: 'get',
    path: '/api/v1/stream',
    summary:
      'Streams events as they happen (text/event-stream). `Last-Event-ID` goes on after one of the last 10,000; `gap` says that some were missed.',
    realm: 'everyone',
    access: 'read',
    query: z.object({ type: names.optional(), endpoint: uid.optional(), application: uid.optional() }),
    answers: { 200: null },
    async handle(call) {
      const { posthorn, query, request, caller } = call
      const applicationId = await scopeOf(call, query.application)
      const endpointId =
        query.endpoint === undefined ? undefined : (await endpointInScope(posthorn, applicationId, query.endpoint)).id
      const reader = await posthorn.stream.open(
        { types: query.type, applicationId, endpointId },
        request.headers.get('last-event-id'),
        ownerOf(caller),
      )
      closeWith(request.signal, reader)
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>({
        // Sent at once, so that the client knows it is connected.
        start: (controller) => controller.enqueue(encoder.encode(': open\n\n')),
        async pull(controller) {
          const item = await reader.next()
          if (item === null) controller.close()
          else controller.enqueue(encoder.encode(await textOf(item, call)))
        },
        cancel: () => reader.close(),
      })
      return new Response(body, {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      })
    },
  }),
]

/** If the caller has left in the meantime, nobody reads or cancels the response. */
function closeWith(signal: AbortSignal, reader: { close(): void }): void {
  if (signal.aborted) reader.close()
  else signal.addEventListener('abort', () => reader.close(), { once: true })
}

async function textOf(item: StreamItem, { posthorn, caller }: Pick<Call, 'posthorn' | 'caller'>): Promise<string> {
  switch (item.kind) {
    case 'quiet':
      return ': quiet\n\n'
    case 'gap':
      return `event: gap\ndata: ${JSON.stringify({ missed: item.missed })}\n\n`
    case 'event': {
      const { id, type, at, applicationId, endpointId, event } = item.event
      const about = { applicationId, endpointId, ...(await posthorn.stream.labelsOf(item.event)) }
      return `id: ${id}\nevent: ${type}\ndata: ${shownJson({ ...event, type, at: isoTime(at), ...about }, caller)}\n\n`
    }
  }
}
