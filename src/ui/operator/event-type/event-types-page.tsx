import { useState } from 'preact/hooks'
import type { EventTypeOverview, List } from '../../api/answers.ts'
import { Code } from '../../parts/code.tsx'
import { Chips } from '../../parts/form/chips.tsx'
import { QueryInput } from '../../parts/form/query-input.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { Ago } from '../../parts/time.tsx'
import { go, href, query, setQuery } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { count, counted } from '../../text/format.ts'
import { eventTypeCurl } from '../curl-examples.ts'
import { AddType } from './event-type-dialogs.tsx'
import { TypeState } from './event-type-state.tsx'

const pageSize = 50

/** All event types, by name. */
export function EventTypes() {
  const text = query.value.get('text') ?? ''
  const archived = query.value.getAll('archived')
  const loaded = useLoad<List<EventTypeOverview>>('event-type-overview', {
    text,
    // Choosing both means all, like choosing none.
    archived: archived.length === 1 ? archived : null,
    iterator: query.value.get('iterator'),
    limit: pageSize,
  })
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title="Event types"
      actions={
        canWrite() && (
          <button type="button" class="button primary" onClick={() => setAdding(true)}>
            Add an event type
          </button>
        )
      }
    >
      <form class="filters" role="search" aria-label="Event types" onSubmit={(event) => event.preventDefault()}>
        <div class="line">
          <QueryInput name="text" label="Name or description" placeholder="Name or description" kind="search" />
          <Chips legend="State" chips={states} chosen={archived} change={choose} />
        </div>
      </form>
      <Show loaded={loaded} lines={10}>
        {(list) => (
          <>
            {list.data.length === 0 ? (
              <Nothing isFiltered={text !== '' || archived.length > 0} />
            ) : (
              <Table types={list.data} />
            )}
            <Pager list={list} />
          </>
        )}
      </Show>
      {isAdding && <AddType close={() => setAdding(false)} done={({ name }) => go(`event-types/${name}`)} />}
    </Page>
  )
}

const states = [
  { value: 'false', word: 'Current' },
  { value: 'true', word: 'Archived' },
]

function choose(archived: readonly string[]): void {
  setQuery({ archived, iterator: null })
}

function Table({ types }: { types: readonly EventTypeOverview[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Event types by name</caption>
        <thead>
          <tr>
            <th scope="col">Event type</th>
            <th scope="col" class="wide">
              State
            </th>
            <th scope="col" class="wide">
              Feature flag
            </th>
            <th scope="col" class="number">
              Versions
            </th>
            <th scope="col" class="wide">
              Updated
            </th>
          </tr>
        </thead>
        <tbody>
          {types.map((type) => (
            <Row key={type.name} type={type} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ type }: { type: EventTypeOverview }) {
  const { name, description, versions, archived, deprecated, featureFlag, updatedAt } = type
  return (
    <tr data-row tabIndex={-1}>
      <td class="main">
        {(archived || deprecated) && (
          <div class="narrow">
            <TypeState type={type} />
          </div>
        )}
        <a href={href(`event-types/${name}`)}>{name}</a>
        <div class="under">{description}</div>
      </td>
      <td class="wide">
        <TypeState type={type} />
      </td>
      <td class="wide">{featureFlag === null ? <span class="muted">–</span> : <code>{featureFlag}</code>}</td>
      <td class={versions === 0 ? 'number muted' : 'number'} title={counted(versions, 'version')}>
        {versions === 0 ? 'no schema' : count(versions)}
      </td>
      <td class="wide when">
        <Ago at={updatedAt} />
      </td>
    </tr>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No event type matches" />
  return (
    <Empty title="No event types are declared">
      <p>Messages need none. Declared ones document themselves here and check payloads against their schema.</p>
      {canWrite() && <Code label="A command that declares an event type" text={eventTypeCurl()} />}
    </Empty>
  )
}
