import type { DeliveryList, EndpointDetail } from '../../api/answers.ts'
import { count, shortUrl } from '../../text/format.ts'
import { Id } from '../../parts/code.tsx'
import { DeliveryTable } from '../delivery/delivery-table.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointDangers, EndpointSettings } from './endpoint-settings.tsx'
import { EndpointRecovery } from './endpoint-recovery.tsx'
import { EndpointSecrets } from './endpoint-secrets.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Details, Page, Panel } from '../../parts/page.tsx'
import { PortalLink } from './portal-link.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Health } from '../../parts/status.tsx'
import { Strip } from '../../parts/chart/hour-strip.tsx'
import { Ago, Prose, Until } from '../../parts/time.tsx'
import { href } from '../../state/router.ts'
import { canWrite, isPortal } from '../../state/session.ts'
import { outcomeLabel } from '../../text/labels.ts'

const refreshMs = 3_000

/** One endpoint: how it does and why, what failed, and everything that can be changed about it. */
export function Endpoint({ id }: { id: string }) {
  const loaded = useLoad<EndpointDetail>(`endpoint/${encodeURIComponent(id)}`, {}, refreshMs)
  const endpoint = loaded.value
  return (
    <Page
      title={endpoint === null ? 'Endpoint' : shortUrl(endpoint.url)}
      above={<a href={href('endpoints')}>Endpoints</a>}
      actions={endpoint !== null && canWrite() && <EndpointActions endpoint={endpoint} refresh={loaded.refresh} />}
    >
      <Show loaded={loaded} lines={8}>
        {(detail) => (
          <>
            <div class="why">
              <Health endpoint={detail} />
              <p>
                <Prose text={detail.health.sentence} />
              </p>
            </div>
            <div class="columns">
              <div>
                <Recent endpoint={detail} />
                <Failures failures={detail.failures} />
                {canWrite() && (
                  <EndpointSettings key={settingsKey(detail)} endpoint={detail} refresh={loaded.refresh} />
                )}
                {canWrite() && <EndpointRecovery endpoint={detail} />}
              </div>
              <div>
                <Panel title="Details">
                  <Details details={detailsOf(detail)} />
                </Panel>
                <EndpointSecrets endpoint={detail} refresh={loaded.refresh} />
                {canWrite() && !isPortal() && <PortalLink endpoint={detail} />}
                {canWrite() && <EndpointDangers endpoint={detail} />}
              </div>
            </div>
          </>
        )}
      </Show>
    </Page>
  )
}

function Recent({ endpoint }: { endpoint: EndpointDetail }) {
  const loaded = useLoad<DeliveryList>('delivery', { endpoint: endpoint.id, limit: 10 }, refreshMs)
  return (
    <Panel title="Newest deliveries" actions={<a href={href(`deliveries?endpoint=${endpoint.id}`)}>All of them</a>}>
      <Show loaded={loaded} lines={3}>
        {(list) =>
          list.data.length === 0 ? (
            <Empty title="Nothing was sent here yet">
              <p>Send a test to see whether it answers.</p>
            </Empty>
          ) : (
            <DeliveryTable
              caption="Newest deliveries to this endpoint"
              deliveries={list.data}
              isOfOneEndpoint
              refresh={loaded.refresh}
            />
          )
        }
      </Show>
    </Panel>
  )
}

function Failures({ failures }: { failures: EndpointDetail['failures'] }) {
  if (failures.length === 0) return null
  const most = Math.max(...failures.map((failure) => failure.count))
  return (
    <Panel title="Failures by class">
      <table class="rows bars">
        <caption class="hidden">Failures among the newest 1,000 attempts, by class</caption>
        <tbody>
          {failures.map(({ outcome, statusCode, count: times }) => (
            <tr key={`${outcome}${statusCode ?? ''}`}>
              <th scope="row">{outcomeLabel(outcome, statusCode)}</th>
              <td class="bar">
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(times / most) * 100} height="8" />
                </svg>
              </td>
              <td class="number">{count(times)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function detailsOf(endpoint: EndpointDetail): [string, preact.ComponentChildren][] {
  const { health } = endpoint
  const details: [string, preact.ComponentChildren | null][] = [
    ['Last 24 hours', <Strip hours={endpoint.hours} />],
    ['Application', <a href={href(`endpoints?application=${endpoint.applicationId}`)}>{endpoint.applicationName}</a>],
    ['Backlog', count(endpoint.backlog, endpoint.backlogAtLeast)],
    ['Last success', <Ago at={endpoint.lastSuccessAt} />],
    ['Held until', until(health.heldUntil)],
    ['Failing since', health.failingSince === null ? null : <Ago at={health.failingSince} />],
    ['Will be disabled', until(health.willBeDisabledAt)],
    ['Event types', endpoint.types === null || endpoint.types.length === 0 ? 'all' : endpoint.types.join(', ')],
    ['Channels', endpoint.channels === null || endpoint.channels.length === 0 ? null : endpoint.channels.join(', ')],
    ['Policy', endpoint.policy],
    ['Rate', endpoint.ratePerSecond === null ? 'unlimited' : `${count(endpoint.ratePerSecond)} per second`],
    ['Signature', endpoint.signature],
    ['Description', endpoint.description === '' ? null : endpoint.description],
    ['Created', <Ago at={endpoint.createdAt} />],
    ['Endpoint', <Id id={endpoint.id} />],
    ['Uid', endpoint.uid === null ? null : <Id id={endpoint.uid} />],
  ]
  return details.filter(([, value]) => value !== null)
}

function until(at: string | null): preact.ComponentChildren | null {
  return at === null ? null : <Until at={at} />
}

/** The form starts anew when the settings have changed on the server, not at each reading. */
function settingsKey({
  url,
  description,
  types,
  channels,
  ratePerSecond,
  policy,
  headers,
  filter,
}: EndpointDetail): string {
  return JSON.stringify([url, description, types, channels, ratePerSecond, policy, headers, filter])
}
