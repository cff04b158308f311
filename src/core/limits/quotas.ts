import { checkCount } from './limits.ts'

/** How much one application may have; 0 for no quota. */
export interface Quotas {
  /** Endpoints, including paused and disabled ones. */
  readonly endpointsPerApplication: number
  /** Characters in the payload filters of all its endpoints together: the time to match a message grows with them. */
  readonly filterSizePerApplication: number
}

export const usualQuotas: Quotas = { endpointsPerApplication: 1_000, filterSizePerApplication: 64 * 1024 }

/** The given quotas, with defaults for the rest. */
export function checkQuotas(given: Partial<Quotas>): Quotas {
  const {
    endpointsPerApplication = usualQuotas.endpointsPerApplication,
    filterSizePerApplication = usualQuotas.filterSizePerApplication,
  } = given
  checkCount('endpointsPerApplication', endpointsPerApplication, 0, 1_000_000)
  checkCount('filterSizePerApplication', filterSizePerApplication, 0, 1_000_000_000)
  return { endpointsPerApplication, filterSizePerApplication }
}
