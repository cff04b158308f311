import type { List } from '../../api/answers.ts'
import { query, setQuery } from '../../state/router.ts'

/** The pages of a list, by cursor: the position is in the address. */
export function Pager({ list }: { list: List<unknown> }) {
  const isFirst = !query.value.has('iterator')
  if (isFirst && list.done) return null
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" class="button" disabled={isFirst} onClick={() => setQuery({ iterator: null })}>
        First page
      </button>
      <button type="button" class="button" disabled={list.done} onClick={() => setQuery({ iterator: list.iterator })}>
        Next page
      </button>
    </nav>
  )
}
