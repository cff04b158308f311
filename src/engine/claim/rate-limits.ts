import { dealTokens } from '../../core/limits/rate-limit.ts'
import type { Queue, TokenAsk } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import type { EndpointRecord } from '../endpoints/records.ts'

/** How many rows an endpoint could send now if its rate limits allow it. */
export interface TokenWish {
  readonly record: EndpointRecord
  readonly most: number
}

/** Takes tokens for several endpoints with one statement. Returns counts in the given order. Tokens that cannot be used are returned at once. */
export async function takeTokens(queue: Queue, now: Instant, wishes: readonly TokenWish[]): Promise<number[]> {
  const asks = asksOf(wishes)
  const grants = await queue.takeTokens({ now, asks })
  const tokens = new Map(asks.map(({ id }, index) => [id, grants[index] ?? 0]))
  const { dealt, left } = dealTokens(
    tokens,
    wishes.map(({ record, most }) => ({ limitIds: limitsOf(record).map(({ id }) => id), most })),
  )
  const unused = [...left].filter(([, count]) => count > 0).map(([id, count]) => ({ id, count }))
  if (unused.length > 0) await queue.returnTokens(unused)
  return dealt
}

/** Returns tokens that were taken for endpoints, to each of their limits. */
export async function returnTokens(
  queue: Queue,
  unused: readonly { readonly record: EndpointRecord; readonly count: number }[],
): Promise<void> {
  const tokens = unused.flatMap(({ record, count }) =>
    count > 0 ? limitsOf(record).map(({ id }) => ({ id, count })) : [],
  )
  if (tokens.length > 0) await queue.returnTokens(tokens)
}

export function isRateLimited({ endpoint, applicationRatePerSecond }: EndpointRecord): boolean {
  return endpoint.ratePerSecond !== null || applicationRatePerSecond !== null
}

/** The lowest of the rate limits that apply to an endpoint. */
export function slowestRate(record: EndpointRecord): number {
  return Math.min(...limitsOf(record).map(({ perSecond }) => perSecond))
}

/** One request per limit, on behalf of all endpoints that share it. */
function asksOf(wishes: readonly TokenWish[]): TokenAsk[] {
  const asks = new Map<string, TokenAsk>()
  for (const { record, most } of wishes) {
    for (const { id, perSecond } of limitsOf(record))
      asks.set(id, { id, perSecond, most: most + (asks.get(id)?.most ?? 0) })
  }
  return [...asks.values()]
}

function limitsOf({
  endpoint: { id, applicationId, ratePerSecond },
  applicationRatePerSecond,
}: EndpointRecord): Pick<TokenAsk, 'id' | 'perSecond'>[] {
  const own = ratePerSecond === null ? [] : [{ id, perSecond: ratePerSecond }]
  return applicationRatePerSecond === null ? own : [...own, { id: applicationId, perSecond: applicationRatePerSecond }]
}
