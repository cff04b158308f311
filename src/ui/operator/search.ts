import { get } from '../api/call.ts'
import type { Config, Found, Policy } from '../api/answers.ts'
import type { Choice } from '../parts/form/choosing.ts'
import { count, counted, duration, shortUrl } from '../text/format.ts'

type Kind = Found['kind']

/** Asks the server for what a text finds. */
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

/** Retry policies by name: there are a handful, so all are read, and those with the text are shown. */
export async function policyChoices(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const answer = await get<Config>('config', {}, signal)
  if (answer.kind !== 'answered') return []
  return answer.value.policies
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map((policy) => ({ value: policy.name, label: policy.name, detail: lengthOf(policy), names: [policy.name] }))
}

function lengthOf({ delaysMs, maxAttempts }: Policy): string {
  const lastMs = delaysMs.slice(0, maxAttempts - 1).reduce((sum, delayMs) => sum + delayMs, 0)
  return lastMs === 0 ? counted(maxAttempts, 'attempt') : `${count(maxAttempts)} attempts over ${duration(lastMs)}`
}
