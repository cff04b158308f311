import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import { PosthornError } from '../../core/errors.ts'
import type { Quotas } from '../../core/limits/quotas.ts'
import type { PayloadFilter } from '../../core/message/payload-filter.ts'
import type { EndpointDirectory } from '../../core/ports/directory/endpoints.ts'

/** A change to an application's endpoints: a new one (null), or another filter for an existing one. */
interface Change {
  readonly applicationId: string
  readonly endpointId: string | null
  readonly filter: PayloadFilter | null
}

type Filtered = Pick<Endpoint, 'id' | 'filter'>

/** Keeps the endpoints of applications within their quotas. */
export class EndpointQuotas {
  readonly #quotas: Quotas
  readonly #directory: Pick<EndpointDirectory, 'matching'>
  /** The last pending change of each application. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(quotas: Quotas, directory: Pick<EndpointDirectory, 'matching'>) {
    this.#quotas = quotas
    this.#directory = directory
  }

  /** Runs changes that are within the quotas, one at a time per application: two at once could both take the last place. */
  async within<Done>(change: Change, work: () => Promise<Done>): Promise<Done> {
    const { applicationId } = change
    const before = this.#last.get(applicationId)
    const turn = (async () => {
      await before?.catch(() => undefined)
      await this.#check(change)
      return work()
    })()
    this.#last.set(applicationId, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(applicationId) === turn) this.#last.delete(applicationId)
    }
  }

  async #check(change: Change): Promise<void> {
    const { endpointsPerApplication: mostEndpoints, filterSizePerApplication: mostCharacters } = this.#quotas
    const isCounted = change.endpointId === null && mostEndpoints > 0
    const isMeasured = change.filter !== null && mostCharacters > 0
    if (!isCounted && !isMeasured) return
    const known = await this.#directory.matching(change.applicationId)
    const endpoints = known === null ? [] : known.endpoints
    if (isCounted && endpoints.length >= mostEndpoints)
      throw exceeded(`${mostEndpoints} endpoints`, 'endpointsPerApplication', 'Delete one that is not needed')
    if (isMeasured && isTooLong(change, endpoints, mostCharacters))
      throw exceeded(
        `${mostCharacters} characters of payload filters in total`,
        'filterSizePerApplication',
        'Shorten one',
      )
  }
}

/** Making a filter shorter is always allowed. */
function isTooLong({ endpointId, filter }: Change, endpoints: readonly Filtered[], mostCharacters: number): boolean {
  const own = endpoints.find(({ id }) => id === endpointId)?.filter ?? null
  const sum = endpoints.reduce((size, endpoint) => size + sizeOf(endpoint.filter), 0)
  const more = sizeOf(filter) - sizeOf(own)
  return more > 0 && sum + more > mostCharacters
}

function sizeOf(filter: PayloadFilter | null): number {
  return filter === null ? 0 : JSON.stringify(filter).length
}

function exceeded(most: string, quota: string, advice: string): PosthornError {
  return new PosthornError(
    'quota_exceeded',
    `Expected an application to have at most ${most} (\`${quota}\`), got more. ${advice}, or raise the quota.`,
  )
}
