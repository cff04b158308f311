import type { List, MessageOverview } from '../../api/answers.ts'
import { Code } from '../../parts/code.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { href, query, setQuery } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { sendCurl } from '../curl-examples.ts'
import { MessageFilters, filterNames } from './message-filters.tsx'
import { MessageTable } from './message-table.tsx'

const refreshMs = 3_000
const pageSize = 50

/** What was sent to customers, newest first, with its status; the filters are in the address. */
export function Messages() {
  const given = query.value
  const asked = Object.fromEntries(filterNames.map((name) => [name, given.get(name)]))
  // Later pages are not refreshed, because their rows would move while somebody reads them.
  const loaded = useLoad<List<MessageOverview>>(
    'message',
    { ...asked, iterator: given.get('iterator'), limit: pageSize },
    given.has('iterator') ? null : refreshMs,
  )
  return (
    <Page
      title="Messages"
      actions={
        canWrite() && (
          <a class="button primary" href={href(sendAddress(given))}>
            Send a message
          </a>
        )
      }
    >
      <MessageFilters />
      <Show loaded={loaded} lines={10}>
        {(list) => (
          <>
            {list.data.length === 0 ? (
              <Nothing isOver={list.done} />
            ) : (
              <MessageTable caption="Messages, newest first" messages={list.data} />
            )}
            <Pager list={list} />
          </>
        )}
      </Show>
    </Page>
  )
}

/** The form is filled in with the application and type of the filter. */
function sendAddress(given: URLSearchParams): string {
  const kept = new URLSearchParams()
  for (const name of ['application', 'event_type']) {
    const value = given.get(name)
    if (value !== null) kept.set(name, value)
  }
  return kept.size === 0 ? 'messages/send' : `messages/send?${kept.toString()}`
}

function Nothing({ isOver }: { isOver: boolean }) {
  if (!isOver)
    return (
      <Empty title="None of these 1,000 messages matches">
        <p>The next page looks at older ones.</p>
      </Empty>
    )
  if (filterNames.some((name) => query.value.has(name))) {
    return (
      <Empty title="No message matches">
        <button
          type="button"
          class="button"
          onClick={() => setQuery(Object.fromEntries([...filterNames, 'iterator'].map((name) => [name, null])))}
        >
          Clear the filters
        </button>
      </Empty>
    )
  }
  return (
    <Empty title="No messages yet">
      <p>A message says what happened. Each endpoint that wants it gets a delivery of it. Send the first:</p>
      <Code label="A command that sends a message" text={sendCurl()} />
    </Empty>
  )
}
