import type { List, PortalMessage } from '../../api/answers.ts'
import { query, setQuery } from '../../state/router.ts'
import { useLoad } from '../../state/use-load.ts'
import { own, useEventTypes } from '../api.ts'
import { Empty, Pager, Show } from '../parts/loaded.tsx'
import { Page, Time, portalHref } from '../parts/page.tsx'
import { say } from '../settings.ts'

const refreshMs = 10_000
const pageSize = 50

/** The events that concern the customer, newest first. */
export function Messages() {
  const event = query.value.get('event') ?? ''
  const loaded = useLoad<List<PortalMessage>>(
    own('msg'),
    { event_types: event, iterator: query.value.get('iterator'), limit: pageSize, with_content: 'false' },
    refreshMs,
  )
  return (
    <Page title={say('messages.title')}>
      <EventFilter event={event} />
      <Show loaded={loaded}>
        {(list) => (
          <>
            {list.data.length === 0 ? <Nothing isFiltered={event !== ''} /> : <Table messages={list.data} />}
            <Pager list={list} />
          </>
        )}
      </Show>
    </Page>
  )
}

/** One event of the catalogue; the one in the address is always a choice. */
function EventFilter({ event }: { event: string }) {
  const catalogue = useEventTypes().value?.data ?? []
  const names = [...new Set([...catalogue.map(({ name }) => name), ...(event === '' ? [] : [event])])]
  return (
    <form class="filters" role="search" onSubmit={(submitted) => submitted.preventDefault()}>
      <label class="field search">
        <span>{say('messages.filter')}</span>
        <select value={event} onChange={(change) => setQuery({ event: change.currentTarget.value, iterator: null })}>
          <option value="">{say('messages.filter_all')}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </form>
  )
}

function Table({ messages }: { messages: readonly PortalMessage[] }) {
  return (
    <div class="scroll">
      <table class="rows messages">
        <caption class="hidden">{say('messages.title')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('messages.event')}</th>
            <th scope="col" class="wide">
              {say('messages.id')}
            </th>
            <th scope="col">{say('messages.created')}</th>
          </tr>
        </thead>
        <tbody>
          {messages.map(({ id, eventType, eventId, timestamp }) => (
            <tr key={id}>
              <td class="main">
                <a href={portalHref(`messages/${id}`)}>{eventType}</a>
              </td>
              <td class="wide">
                <code>{eventId ?? id}</code>
              </td>
              <td class="when">
                <Time at={timestamp} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title={say('messages.no_match')} />
  return (
    <Empty title={say('messages.empty')}>
      <p>{say('messages.empty_hint')}</p>
    </Empty>
  )
}
