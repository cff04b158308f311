import { checkCount } from './limits.ts'

/** What one application may have; 0 for no quota. */
export interface Quotas {
  /** Endpoints, those that are paused or disabled among them. */
  readonly endpointsPerApplication: number
  /** Characters of the payload filters of all its endpoints together: to match a message takes a time in proportion to that. */
  readonly filterSizePerApplication: number
}

export const usualQuotas: Quotas = { endpointsPerApplication: 1_000, filterSizePerApplication: 64 * 1024 }

/** The quotas that were given, and the usual ones for the rest. */
export function checkQuotas(given: Partial<Quotas>): Quotas {
  const {
    endpointsPerApplication = usualQuotas.endpointsPerApplication,
    filterSizePerApplication = usualQuotas.filterSizePerApplication,
  } = given
  checkCount('endpointsPerApplication', endpointsPerApplication, 0, 1_000_000)
  checkCount('filterSizePerApplication', filterSizePerApplication, 0, 1_000_000_000)
  return { endpointsPerApplication, filterSizePerApplication }
}
