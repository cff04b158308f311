import { EndpointRow } from '../endpoint/endpoint-row.tsx'
import type { ApplicationOverview, DeadLetters, Endpoint, List, MessageOverview } from '../../api/answers.ts'
import { Strip } from '../../parts/chart/hour-strip.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/page.tsx'
import { Ago } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { href } from '../../state/router.ts'
import { useLoad } from '../../state/use-load.ts'
import { count, firstLine } from '../../text/format.ts'
import { MessageTable } from '../message/message-table.tsx'

const refreshMs = 5_000
const mostEndpoints = 10
const mostMessages = 10
const mostGroups = 5

interface PanelProps {
  readonly application: Pick<ApplicationOverview, 'id' | 'endpoints'>
}

/** The customer's first endpoints; the rest is a click away. */
export function EndpointPanel({ application: { id, endpoints } }: PanelProps) {
  const loaded = useLoad<List<Endpoint>>('endpoint', { application: id, limit: mostEndpoints }, refreshMs)
  return (
    <Panel title="Endpoints" actions={<AllLink page="endpoints" id={id} text={`All ${count(endpoints)}`} />}>
      <Show loaded={loaded} lines={3}>
        {(list) =>
          list.data.length === 0 ? (
            <Empty title="No endpoints yet">
              <p>The customer adds one in the portal, or you do on the page of all endpoints.</p>
            </Empty>
          ) : (
            <EndpointTable endpoints={list.data} />
          )
        }
      </Show>
    </Panel>
  )
}

function EndpointTable({ endpoints }: { endpoints: readonly Endpoint[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Endpoints of this application</caption>
        <thead>
          <tr>
            <th scope="col" class="wide">
              Health
            </th>
            <th scope="col">Endpoint</th>
            <th scope="col" class="wide">
              Last 24 hours
            </th>
            <th scope="col" class="number">
              Backlog
            </th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <EndpointRow key={endpoint.id} endpoint={endpoint} ofOneApplication>
              <td class="wide">
                <Strip hours={endpoint.hours} />
              </td>
            </EndpointRow>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** What was sent to the customer last. */
export function MessagePanel({ application: { id } }: PanelProps) {
  const loaded = useLoad<List<MessageOverview>>('message', { application: id, limit: mostMessages }, refreshMs)
  return (
    <Panel title="Newest messages" actions={<AllLink page="messages" id={id} text="All messages" />}>
      <Show loaded={loaded} lines={3}>
        {(list) =>
          list.data.length === 0 ? (
            <Empty title="Nothing was sent yet" />
          ) : (
            <MessageTable caption="Newest messages of this application" messages={list.data} isOfOneApplication />
          )
        }
      </Show>
    </Panel>
  )
}

/** The largest groups of the customer's dead letters; nothing where there are none. */
export function DeadLetterPanel({ application: { id } }: PanelProps) {
  const loaded = useLoad<DeadLetters>('dead-letter', { application: id }, refreshMs)
  const dead = loaded.value
  return (
    <Panel
      title="Dead letters"
      actions={
        dead !== null &&
        dead.counted > 0 && <AllLink page="dead-letters" id={id} text={`All ${count(dead.counted, dead.atLeast)}`} />
      }
    >
      <Show loaded={loaded} lines={1}>
        {(shown) => (shown.data.length === 0 ? <p class="muted">None.</p> : <DeadLetterTable dead={shown} />)}
      </Show>
    </Panel>
  )
}

function DeadLetterTable({ dead }: { dead: DeadLetters }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">The largest groups of dead letters</caption>
        <thead>
          <tr>
            <th scope="col">Endpoint and last error</th>
            <th scope="col" class="wide">
              Newest
            </th>
            <th scope="col" class="number">
              Dead
            </th>
          </tr>
        </thead>
        <tbody>
          {dead.data.slice(0, mostGroups).map(({ endpointId, url, reason, errorDetail, count: size, newestAt }) => (
            <tr key={`${endpointId} ${reason} ${errorDetail}`} data-row tabIndex={-1}>
              <td class="main">
                <a href={href(`deliveries?status=dead&reason=${reason}&endpoint=${endpointId}`)}>
                  <Url url={url} />
                </a>
                <div class="under">
                  {reason}
                  {errorDetail === null ? '' : `: ${firstLine(errorDetail)}`}
                </div>
              </td>
              <td class="wide when">
                <Ago at={newestAt} />
              </td>
              <td class="number">{count(size, dead.grouped < dead.counted)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function AllLink({ page, id, text }: { page: string; id: string; text: string }) {
  return <a href={href(`${page}?application=${encodeURIComponent(id)}`)}>{text}</a>
}
