import { statuses } from '../../core/delivery/delivery.ts'
import type { Status } from '../../core/delivery/delivery.ts'
import { expected } from '../../core/errors.ts'
import { checkId } from '../../core/ids.ts'
import type { DeliveryFilter } from '../../core/ports/queue.ts'

/** A filter for bulk work, limited to the statuses that the work can change. */
export function onlyStatus(
  filter: DeliveryFilter,
  usual: readonly Status[],
  allowed: readonly Status[],
  verb: string,
): DeliveryFilter {
  checkFilter(filter)
  const status = filter.status === undefined ? usual : [filter.status].flat()
  for (const one of status)
    if (!allowed.includes(one))
      throw expected('invalid_argument', 'status', `${allowed.join(' or ')} to ${verb} by filter`, one)
  return { ...filter, status }
}

export function checkFilter(filter: unknown): asserts filter is DeliveryFilter {
  if (typeof filter !== 'object' || filter === null)
    throw expected('invalid_argument', 'filter', 'an object of conditions', filter)
  const { status, ids } = filter as DeliveryFilter
  for (const one of status === undefined ? [] : [status].flat()) {
    if (!statuses.includes(one)) throw expected('invalid_argument', 'status', `one of ${statuses.join(', ')}`, one)
  }
  for (const id of ids ?? []) checkId('dlv', id, 'ids')
}
