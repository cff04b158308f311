import type { EndpointDetail } from '../../api/answers.ts'
import { shortUrl } from '../../text/format.ts'
import { StatusChips } from '../delivery/delivery-filters.tsx'
import { NoneMatches } from '../delivery/deliveries-page.tsx'
import { DeliveryList, useDeliveries } from '../delivery/list/delivery-list.tsx'
import { EndpointAuthentication } from './authentication/endpoint-authentication.tsx'
import { EndpointSecrets } from './authentication/endpoint-secrets.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointOverview } from './endpoint-overview.tsx'
import { EndpointRecovery } from './endpoint-recovery.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { EndpointDangers } from './settings/endpoint-dangers.tsx'
import { EndpointSettings, settingsKey } from './settings/endpoint-settings.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Page } from '../../parts/page.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { href, query } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'

const refreshMs = 3_000
const tabs = [
  ['overview', 'Overview'],
  ['deliveries', 'Deliveries'],
  ['settings', 'Settings'],
  ['security', 'Secrets and authentication'],
] as const
type Tab = (typeof tabs)[number][0]

/** One endpoint: first its status, then its deliveries and settings. */
export function Endpoint({ id }: { id: string }) {
  const loaded = useLoad<EndpointDetail>(`endpoint/${encodeURIComponent(id)}`, {}, refreshMs)
  const endpoint = loaded.value
  return (
    <Page
      title={endpoint === null ? 'Endpoint' : shortUrl(endpoint.url)}
      above={<a href={href('endpoints')}>Endpoints</a>}
    >
      <Show loaded={loaded} lines={8}>
        {(detail) => (
          <div class="endpoint">
            <EndpointStatus endpoint={detail}>
              {canWrite() && <EndpointActions endpoint={detail} refresh={loaded.refresh} />}
            </EndpointStatus>
            <Tabs id={id} />
            <TabContent endpoint={detail} refresh={loaded.refresh} />
          </div>
        )}
      </Show>
    </Page>
  )
}

function Tabs({ id }: { id: string }) {
  const chosen = chosenTab()
  return (
    <nav class="tabs" aria-label="This endpoint">
      {tabs.map(([tab, name]) => (
        <a
          key={tab}
          href={href(tab === 'overview' ? `endpoints/${id}` : `endpoints/${id}?tab=${tab}`)}
          aria-current={tab === chosen ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}

/** The tab in the address; the first one if there is no such tab. */
function chosenTab(): Tab {
  return tabs.find(([tab]) => tab === query.value.get('tab'))?.[0] ?? 'overview'
}

function TabContent({ endpoint, refresh }: { endpoint: EndpointDetail; refresh: () => void }) {
  switch (chosenTab()) {
    case 'overview':
      return <EndpointOverview endpoint={endpoint} />
    case 'deliveries':
      return <EndpointDeliveries endpoint={endpoint} />
    case 'settings':
      return (
        <>
          <EndpointSettings key={settingsKey(endpoint)} endpoint={endpoint} refresh={refresh} />
          {canWrite() && <EndpointDangers endpoint={endpoint} />}
        </>
      )
    case 'security':
      return (
        <>
          <EndpointSecrets endpoint={endpoint} refresh={refresh} />
          <EndpointAuthentication endpoint={endpoint} refresh={refresh} />
        </>
      )
  }
}

function EndpointDeliveries({ endpoint }: { endpoint: EndpointDetail }) {
  const deliveries = useDeliveries(endpoint.id)
  return (
    <>
      <form class="filters" role="search" aria-label="Its deliveries" onSubmit={(event) => event.preventDefault()}>
        <div class="line">
          <StatusChips endpoint={endpoint.id} />
          <a href={href(`deliveries?endpoint=${endpoint.id}`)}>More filters</a>
        </div>
      </form>
      <div>
        <DeliveryList caption="Deliveries to this endpoint, newest first" deliveries={deliveries}>
          {query.value.has('status') ? <NoneMatches /> : <NothingSent />}
        </DeliveryList>
      </div>
      {canWrite() && <EndpointRecovery endpoint={endpoint} />}
    </>
  )
}

function NothingSent() {
  return (
    <Empty title="Nothing was sent here yet">
      <p>Send a test to see whether it answers.</p>
    </Empty>
  )
}
