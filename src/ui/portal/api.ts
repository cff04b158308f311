import { post } from '../api/call.ts'
import type { Answer } from '../api/call.ts'
import type { EventType, List } from '../api/answers.ts'
import { notify } from '../state/notices.ts'
import { session } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import type { Loaded } from '../state/use-load.ts'
import { problemText } from './parts/loaded.tsx'

/** The path of a resource of the customer. */
export function own(path: string): string {
  return `app/${session.value?.caller.applicationId ?? ''}/${path}`
}

/** Calls an operation and shows the result; false if it failed. */
export async function act(call: Promise<Answer<unknown>>, done: string): Promise<boolean> {
  const answer = await call
  if (answer.kind === 'answered') notify('good', done)
  else notify('bad', problemText(answer))
  return answer.kind === 'answered'
}

/** The events that a customer can get, for lists to choose from. */
export function useEventTypes(): Loaded<List<EventType>> {
  return useLoad<List<EventType>>('event-type', { limit: 250 })
}

/** Sends a message to an endpoint again. */
export function resend(messageId: string, endpointId: string): Promise<Answer<unknown>> {
  return post(own(`msg/${messageId}/endpoint/${endpointId}/resend`))
}
