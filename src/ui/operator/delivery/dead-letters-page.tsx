import { useState } from 'preact/hooks'
import { bulk } from './actions.ts'
import type { DeadLetterGroup, DeadLetters as Groups } from '../../api/answers.ts'
import { count, counted, firstLine } from '../../text/format.ts'
import { useLoad } from '../../state/use-load.ts'
import { Page } from '../../parts/page.tsx'
import { QueryCombobox } from '../../parts/form/combobox.tsx'
import { endpointChoices } from '../search.ts'
import { SortHeader, sorted } from '../../parts/table/sort.tsx'
import type { Sort } from '../../parts/table/sort.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Ago } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { href, query } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'

const refreshMs = 5_000
const mostErrors = 3

/** Dead letters by endpoint and reason: people decide about them in these groups. */
export function DeadLetters() {
  const application = query.value.get('application') ?? ''
  const endpoint = query.value.get('endpoint') ?? ''
  const loaded = useLoad<Groups>('dead-letter', { application, endpoint }, refreshMs)
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  return (
    <Page title="Dead letters">
      <form class="filters" role="search" aria-label="Dead letters" onSubmit={(event) => event.preventDefault()}>
        <div class="line">
          <QueryCombobox name="endpoint" label="Endpoint" choices={endpointChoices} kind="search" />
        </div>
      </form>
      <Show loaded={loaded} lines={8}>
        {(dead) => {
          const groups = grouped(dead.data)
          if (groups.length === 0) return <Nothing isFiltered={application !== '' || endpoint !== ''} />
          return (
            <>
              <Bar
                dead={dead}
                groups={groups}
                selected={selected}
                filter={{ ...(application === '' ? {} : { application }), ...(endpoint === '' ? {} : { endpoint }) }}
              />
              <Table groups={groups} isPart={dead.grouped < dead.counted} selected={selected} select={select} />
              {dead.grouped < dead.counted && (
                <p class="note">
                  These are the newest {count(dead.grouped)}, so the numbers above are the least there are. A retry
                  takes all that match, and shows the exact number first.
                </p>
              )}
            </>
          )
        }}
      </Show>
    </Page>
  )
}

/** One endpoint and reason, with the last errors. A bulk job takes these two as its filter, so they make up one row. */
interface Group {
  readonly key: string
  readonly endpointId: string
  readonly reason: string
  readonly url: string
  readonly errors: readonly { readonly text: string; readonly count: number }[]
  readonly count: number
  readonly newestAt: string
}

function grouped(rows: readonly DeadLetterGroup[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { endpointId, reason, url, errorDetail, count: size, newestAt } of rows) {
    const key = `${endpointId} ${reason}`
    const before = groups.get(key)
    const errors = [...(before?.errors ?? []), { text: firstLine(errorDetail ?? ''), count: size }].toSorted(
      (one, other) => other.count - one.count,
    )
    const newest = before !== undefined && before.newestAt > newestAt ? before.newestAt : newestAt
    groups.set(key, { key, endpointId, reason, url, errors, count: size + (before?.count ?? 0), newestAt: newest })
  }
  return [...groups.values()]
}

function Bar({
  dead,
  groups,
  selected,
  filter,
}: {
  dead: Groups
  groups: readonly Group[]
  selected: ReadonlySet<string>
  filter: Record<string, string>
}) {
  const chosen = groups.filter(({ key }) => selected.has(key))
  const size = chosen.reduce((sum, group) => sum + group.count, 0)
  const isPart = dead.grouped < dead.counted
  const everything = `${counted(dead.counted, 'dead letter', dead.atLeast)} at ${counted(new Set(groups.map(({ endpointId }) => endpointId)).size, 'endpoint', isPart)}`
  return (
    <div class="bulk" role="group" aria-label="What to do with them">
      <strong>{chosen.length === 0 ? everything : `${count(size, isPart)} selected`}</strong>
      {canWrite() && chosen.length > 0 && (
        <button
          type="button"
          class="button small primary"
          data-key="r"
          onClick={() =>
            void bulk(
              'requeue',
              chosen.map(({ endpointId, reason }) => ({ status: 'dead', endpoint: endpointId, reason })),
            )
          }
        >
          Retry {count(size, isPart)} now …
        </button>
      )}
      {canWrite() && chosen.length === 0 && (
        <button
          type="button"
          class="button small primary"
          onClick={() => void bulk('requeue', [{ status: 'dead', ...filter }])}
        >
          Retry all {count(dead.counted, dead.atLeast)} matching …
        </button>
      )}
    </div>
  )
}

type Column = 'count' | 'newest' | 'endpoint'
const columns: Readonly<Record<Column, (group: Group) => string | number>> = {
  count: (group) => group.count,
  newest: ({ newestAt }) => Date.parse(newestAt),
  endpoint: ({ url }) => url,
}

interface TableProps {
  readonly groups: readonly Group[]
  /** There are older ones that were not counted. */
  readonly isPart: boolean
  readonly selected: ReadonlySet<string>
  readonly select: (keys: ReadonlySet<string>) => void
}

function Table({ groups, isPart, selected, select }: TableProps) {
  const [sort, setSort] = useState<Sort<Column>>({ column: 'count', order: 'descending' })
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Dead letters by endpoint and reason, sorted by {sort.column}</caption>
        <thead>
          <tr>
            {canWrite() && (
              <th scope="col" class="tick">
                <span class="hidden">Select</span>
              </th>
            )}
            <SortHeader name="Endpoint and last error" column="endpoint" sort={sort} change={setSort} />
            <th scope="col" class="wide">
              Reason
            </th>
            <SortHeader name="Dead" column="count" sort={sort} change={setSort} kind="number" />
            <SortHeader name="Newest" column="newest" sort={sort} change={setSort} kind="wide" />
          </tr>
        </thead>
        <tbody>
          {sorted(groups, columns[sort.column], sort.order).map((group) => (
            <Row key={group.key} group={group} isPart={isPart} selected={selected} select={select} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ group, isPart, selected, select }: Omit<TableProps, 'groups'> & { readonly group: Group }) {
  const { key, endpointId, reason, url, newestAt } = group
  const size = count(group.count, isPart)
  return (
    <tr data-row tabIndex={-1} class={selected.has(key) ? 'selected' : undefined}>
      {canWrite() && (
        <td class="tick">
          <input
            type="checkbox"
            aria-label={`Select ${size} dead letters of ${url}, ${reason}`}
            checked={selected.has(key)}
            onChange={() => select(toggled(selected, key))}
          />
        </td>
      )}
      <td class="main">
        <a href={href(`deliveries?status=dead&endpoint=${endpointId}&reason=${reason}`)}>
          <Url url={url} />
        </a>
        <div class="under narrow">{reason}</div>
        <Errors errors={group.errors} />
      </td>
      <td class="wide">{reason}</td>
      <td class="number">{size}</td>
      <td class="wide when">
        <Ago at={newestAt} />
      </td>
    </tr>
  )
}

function Errors({ errors }: { errors: Group['errors'] }) {
  return (
    <ul class="plain under">
      {errors.slice(0, mostErrors).map(({ text, count: times }) => (
        <li key={text}>
          {count(times)} × {text === '' ? 'without an error' : text}
        </li>
      ))}
      {errors.length > mostErrors && <li>and {counted(errors.length - mostErrors, 'other error')}</li>}
    </ul>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No dead letter matches" />
  return (
    <Empty title="No dead letters">
      <p>
        A delivery ends here when its last retry has failed, with every attempt on record, until somebody retries it.
      </p>
    </Empty>
  )
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}
