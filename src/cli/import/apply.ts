import { isCredentialName } from '../../core/signing/sent-request.ts'
import { expected, PosthornError } from '../../core/errors.ts'
import { pathSegment } from '../http-api/api-client.ts'
import type { ApiClient } from '../http-api/api-client.ts'
import { eventTypeBody } from './plan.ts'
import type { ImportPlan, PlannedApplication, PlannedEndpoint } from './plan.ts'
import type { NotTaken } from './svix-export.ts'

/** What an import has done, or would do. */
export interface Imported {
  /** False if it was interrupted; running the same command again continues it. */
  readonly isWhole: boolean
  readonly created: Counts
  readonly changed: Counts
  readonly unchanged: number
  readonly notTaken: readonly NotTaken[]
}

export type Counts = Record<Kind, number>
type Kind = 'applications' | 'endpoints' | 'eventTypes'

interface ImportOptions {
  /** Only counts. */
  readonly isDry: boolean
  /** Ends it after the current step. */
  readonly signal: AbortSignal
}

/** Executes a plan. Refused steps are listed, and the rest continues. */
export async function applyImport(plan: ImportPlan, client: ApiClient, options: ImportOptions): Promise<Imported> {
  const steps = new Steps(options, plan.notTaken)
  for (const type of plan.eventTypes) {
    const about = { id: null, what: `event type ${type.name}` }
    await steps.take('eventTypes', about, () => client.request('POST', '/event-type', { body: eventTypeBody(type) }))
  }
  for (const application of plan.applications) await applyApplication(client, steps, application)
  const { created, changed, notTaken } = steps
  return { isWhole: !options.signal.aborted, created, changed, unchanged: plan.unchanged, notTaken }
}

async function applyApplication(client: ApiClient, steps: Steps, application: PlannedApplication): Promise<void> {
  const written =
    application.body === null
      ? null
      : await steps.take('applications', application, () => writeApplication(client, application))
  const id = written?.id ?? application.id
  for (const endpoint of application.endpoints) {
    await steps.take('endpoints', endpoint, async () => {
      if (id === null) throw expected('not_found', 'application', 'one that was taken', application.what)
      await writeEndpoint(client, id, endpoint)
    })
  }
}

/** Takes one step after the other, and counts the results. */
class Steps {
  readonly created: Counts = { applications: 0, endpoints: 0, eventTypes: 0 }
  readonly changed: Counts = { applications: 0, endpoints: 0, eventTypes: 0 }
  readonly notTaken: NotTaken[]
  readonly #options: ImportOptions

  constructor(options: ImportOptions, notTaken: readonly NotTaken[]) {
    this.#options = options
    this.notTaken = [...notTaken]
  }

  /** Returns the result of a step; null if it was refused, only counted, or interrupted before. */
  async take<Result>(kind: Kind, { id, what }: Step, work: () => Promise<Result>): Promise<Result | null> {
    const { isDry, signal } = this.#options
    if (signal.aborted) return null
    try {
      const result = isDry ? null : await work()
      const counts = id === null ? this.created : this.changed
      counts[kind] += 1
      return result
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown
      this.notTaken.push({ what, why: thrown.message })
      return null
    }
  }
}

type Step = Pick<PlannedEndpoint, 'id' | 'what'>

function writeApplication(client: ApiClient, { id, body }: PlannedApplication): Promise<{ id: string }> {
  return id === null
    ? client.request('POST', '/app', { body })
    : client.request('PATCH', `/app/${pathSegment(id)}`, { body })
}

async function writeEndpoint(client: ApiClient, applicationId: string, endpoint: PlannedEndpoint): Promise<void> {
  const { id, body, headers, secret } = endpoint
  const base = `/app/${pathSegment(applicationId)}/endpoint`
  if (id === null) {
    await client.request('POST', base, { body: { ...body, headers, secret } })
    return
  }
  const path = `${base}/${pathSegment(id)}`
  // Headers first: the mark that says what has been imported comes with the rest.
  const here = await client.request<{ headers: Record<string, string>; sensitive: string[] }>('GET', `${path}/headers`)
  const names = [...Object.keys(here.headers), ...here.sensitive]
  // Credentials were set by hand: Svix does not show its own.
  const deleteHeaders = names.filter((name) => !Object.hasOwn(headers, name) && !isCredentialName(name))
  await client.request('PATCH', `${path}/headers`, { body: { headers, deleteHeaders } })
  await client.request('PATCH', path, { body: { ...body, ...(secret === null ? {} : { secret }) } })
}

/** A refusal by this server, as opposed to an outage: that ends the import, and the same command continues it. */
function isRefusal(thrown: unknown): thrown is PosthornError {
  return thrown instanceof PosthornError && thrown.code !== 'unreachable' && thrown.code !== 'store_failed'
}
