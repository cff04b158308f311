import { Lru } from '../../core/lru.ts'
import { Subscribers } from '../../core/endpoint/subscribers.ts'
import { firstUse, newApplication, refusedEndpoint, unknownApplication } from './envelope.ts'
import type { Matching, Outgoing } from './envelope.ts'
import type { EngineParts } from '../parts.ts'

const mostApplications = 10_000

/** Caches the endpoints of applications. The store compares their version whenever something is stored for them. */
export class Matchings {
  readonly #parts: EngineParts
  readonly #known = new Lru<string, Matching>(mostApplications)
  /** Reads under way: concurrent callers share one. */
  readonly #reading = new Map<string, Promise<Matching>>()

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /** Throws if the application, or the single endpoint that the message is for, does not exist. */
  async of(outgoing: Outgoing): Promise<Matching> {
    const known = this.known(outgoing)
    if (known !== undefined) return known
    const { application, mustExist } = outgoing
    const read = await this.#readOnce(application, mustExist)
    const refusal = refusedEndpoint(outgoing, read)
    if (refusal !== null) throw refusal
    return read
  }

  /** The cached endpoints. If they exclude the message's only endpoint they may be outdated: it may have been created or enabled since. */
  known(outgoing: Outgoing): Matching | undefined {
    const known = this.#known.get(outgoing.application)
    return known !== undefined && refusedEndpoint(outgoing, known) === null ? known : undefined
  }

  forget(application: string): void {
    this.#known.delete(application)
  }

  /** Returns the application's id. The application is created on first use. */
  async applicationId(application: string): Promise<string> {
    const { directory, clock, random } = this.#parts
    const known = await directory.application(application)
    if (known !== null) return known.id
    try {
      const created = await directory.createApplication(newApplication(application, clock.now(), random), firstUse)
      return created.id
    } catch (error) {
      // Another process may have created it in the meantime.
      const other = await directory.application(application)
      if (other === null) throw error
      return other.id
    }
  }

  #readOnce(application: string, mustExist: boolean): Promise<Matching> {
    const key = `${mustExist} ${application}`
    const underWay = this.#reading.get(key)
    if (underWay !== undefined) return underWay
    const reading = this.#read(application, mustExist).finally(() => this.#reading.delete(key))
    this.#reading.set(key, reading)
    return reading
  }

  async #read(application: string, mustExist: boolean): Promise<Matching> {
    const { directory } = this.#parts
    const applicationId = mustExist
      ? ((await directory.application(application))?.id ?? null)
      : await this.applicationId(application)
    const read = applicationId === null ? null : await directory.matching(applicationId)
    if (applicationId === null || read === null) throw unknownApplication(application)
    const matching = {
      applicationId,
      endpointsVersion: read.endpointsVersion,
      subscribers: new Subscribers(read.endpoints),
    }
    this.#known.set(application, matching)
    return matching
  }
}
