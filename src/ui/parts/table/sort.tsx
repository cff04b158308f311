/** How a table is sorted. */
export interface Sort<Column extends string> {
  readonly column: Column
  readonly order: 'ascending' | 'descending'
}

interface SortHeaderProps<Column extends string> {
  readonly name: string
  readonly column: Column
  readonly sort: Sort<Column>
  readonly change: (sort: Sort<Column>) => void
  readonly kind?: 'wide' | 'number'
}

/** A heading that sorts its table, and says how. */
export function SortHeader<Column extends string>({ name, column, sort, change, kind }: SortHeaderProps<Column>) {
  const isSorted = sort.column === column
  const next = isSorted && sort.order === 'ascending' ? 'descending' : 'ascending'
  return (
    <th scope="col" class={kind} aria-sort={isSorted ? sort.order : 'none'}>
      <button type="button" class="bare sort" onClick={() => change({ column, order: next })}>
        {name}
      </button>
    </th>
  )
}

export function sorted<Item>(
  items: readonly Item[],
  by: (item: Item) => string | number,
  order: Sort<string>['order'],
): Item[] {
  const sign = order === 'ascending' ? 1 : -1
  return items.toSorted((one, other) => {
    const [first, second] = [by(one), by(other)]
    return first < second ? -sign : first > second ? sign : 0
  })
}
