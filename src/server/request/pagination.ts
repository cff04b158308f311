import { z } from 'zod'
import type { Order, Page, Scan } from '../../core/ports/directory/page.ts'
import { RawJson } from '../operation.ts'
import { order } from '../schemas/common.ts'

/** What a client can request of a list: how many, from where, and in which order. */
interface ListQuery {
  readonly limit: number
  readonly iterator?: string | null | undefined
  readonly order?: Order | null | undefined
}

/** A page as clients know it; `iterator` continues after its end, `prevIterator` before its beginning. */
export interface ListPage<Item> {
  readonly data: readonly Item[]
  readonly done: boolean
  readonly iterator: string | null
  readonly prevIterator: string | null
}

type IteratorOf = 'app' | 'ep' | 'msg' | 'dlv' | 'atmpt' | 'key' | 'job' | 'aud' | 'name'

/** The query of a list whose iterators are ids of one kind (or names); a leading minus walks backwards. Anything else is refused. */
export function listQuery(kind: IteratorOf) {
  const tail = kind === 'name' ? String.raw`\.?[a-zA-Z0-9_.-]{1,256}` : `${kind}_[0-9a-z]{19,25}`
  return z.object({
    limit: z.coerce.number().int().min(1).max(250).default(50),
    iterator: z
      .string()
      .regex(
        new RegExp(`^-?${tail}$`),
        'Expected the `iterator` or `prevIterator` of an earlier response. Leave it out to start over.',
      )
      .nullish(),
    order: order.nullish(),
  })
}

/** A page of a list that is read in order: one extra row shows whether there are more. */
export function pageOf<Item>(
  query: ListQuery,
  usual: Order,
  read: (page: Page) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
): Promise<ListPage<Item>> {
  return scanOf(
    query,
    usual,
    async (page) => {
      const rows = await read({ ...page, limit: page.limit + 1 })
      const items = rows.slice(0, page.limit)
      const last = items.at(-1)
      return { items, next: rows.length > page.limit && last !== undefined ? idOf(last) : null }
    },
    idOf,
  )
}

/** A page of a list that is filtered as it is read. */
export async function scanOf<Item>(
  query: ListQuery,
  usual: Order,
  read: (page: Page) => Promise<Scan<Item>>,
  idOf: (item: Item) => string,
): Promise<ListPage<Item>> {
  const { after, isBack } = placeOf(query.iterator ?? null)
  const forward = query.order ?? usual
  const { items, next } = await read({ limit: query.limit, after, order: isBack ? opposite(forward) : forward })
  const data = isBack ? items.toReversed() : items
  return { data, done: next === null, ...iteratorsOf(data.map(idOf), { after, isBack, next }) }
}

/** A page whose items are already JSON texts. */
export function pageText({ data, ...rest }: ListPage<string>): RawJson {
  return new RawJson(`{"data":[${data.join(',')}],${JSON.stringify(rest).slice(1)}`)
}

/** An empty page returns the iterator that was requested, so that a client can look there again later. */
function iteratorsOf(
  ids: readonly string[],
  { after, isBack, next }: Place & { readonly next: string | null },
): Pick<ListPage<unknown>, 'iterator' | 'prevIterator'> {
  const first = ids[0] ?? null
  const last = ids.at(-1) ?? null
  if (isBack) return { iterator: ahead(last), prevIterator: back(next ?? first ?? after) }
  return { iterator: ahead(next ?? last ?? after), prevIterator: back(first) }
}

interface Place {
  readonly after: string | null
  readonly isBack: boolean
}

function placeOf(iterator: string | null): Place {
  if (iterator === null) return { after: null, isBack: false }
  const isBack = iterator.startsWith('-')
  return { after: iterator.slice(isBack ? 1 : 0).replace(/^\./, ''), isBack }
}

/** A name can itself begin with a minus; none begins with a dot. */
function ahead(id: string | null): string | null {
  return id?.startsWith('-') === true ? `.${id}` : id
}

function back(id: string | null): string | null {
  return id === null ? null : `-${id}`
}

function opposite(given: Order): Order {
  return given === 'ascending' ? 'descending' : 'ascending'
}
