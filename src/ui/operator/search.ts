import { get } from '../api/call.ts'
import type { Found } from '../api/answers.ts'
import type { Choice } from '../parts/form/choosing.ts'
import { shortUrl } from '../text/format.ts'

type Kind = Found['kind']

/** Lets the server search for a text. */
export async function find(text: string, kinds: readonly Kind[], signal: AbortSignal): Promise<readonly Found[]> {
  const answer = await get<{ data: readonly Found[] }>('search', { text, kind: kinds }, signal)
  return answer.kind === 'answered' ? answer.value.data : []
}

/** Applications by name, uid or id; chosen by uid, which is shorter to read in an address. */
export async function applicationChoices(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  return (await find(text, ['application'], signal)).map(({ id, uid, name }) => ({
    value: uid ?? id,
    label: name === '' ? (uid ?? id) : name,
    detail: uid ?? id,
    names: [id, ...(uid === null ? [] : [uid])],
  }))
}

/** Endpoints by URL, description, uid or id. */
export async function endpointChoices(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  return (await find(text, ['endpoint'], signal)).map(({ id, uid, name, url, applicationName }) => ({
    value: id,
    label: shortUrl(url ?? id),
    detail: [applicationName ?? '', name].filter((part) => part !== '').join(' · '),
    names: [id, ...(uid === null ? [] : [uid])],
  }))
}

export async function eventTypeChoices(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  return (await find(text, ['event-type'], signal)).map(({ id }) => ({ value: id, label: id, names: [id] }))
}
