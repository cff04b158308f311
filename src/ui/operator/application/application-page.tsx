import type { ComponentChildren } from 'preact'
import type { ApplicationOverview } from '../../api/answers.ts'
import { Id } from '../../parts/code.tsx'
import { Show } from '../../parts/loaded.tsx'
import { Details, Page, Panel } from '../../parts/page.tsx'
import { State } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { href } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { count } from '../../text/format.ts'
import { PortalLink } from '../endpoint/portal-link.tsx'
import { customerName, healthSentence, healthState, lastDay } from './application-health.ts'
import { Limits } from './application-limits.tsx'
import { DeadLetterPanel, EndpointPanel, MessagePanel } from './application-panels.tsx'
import { Erase } from './erase.tsx'

const refreshMs = 5_000

/** One customer: its health, endpoints, messages and limits, and how to erase it. */
export function Application({ id }: { id: string }) {
  const loaded = useLoad<ApplicationOverview>(`application/${encodeURIComponent(id)}`, {}, refreshMs)
  const application = loaded.value
  return (
    <Page
      title={application === null ? 'Application' : customerName(application)}
      above={<a href={href('applications')}>Applications</a>}
      actions={
        application !== null &&
        canWrite() && (
          <a class="button" href={href(`messages/send?application=${encodeURIComponent(application.id)}`)}>
            Send a message
          </a>
        )
      }
    >
      <Show loaded={loaded} lines={8}>
        {(shown) => (
          <>
            <div class="why">
              <State {...healthState(shown)} />
              <p>{healthSentence(shown)}</p>
            </div>
            <Counters application={shown} />
            <div class="columns">
              <div>
                <EndpointPanel application={shown} />
                <DeadLetterPanel application={shown} />
                <MessagePanel application={shown} />
              </div>
              <div>
                <Panel title="Details">
                  <Details details={detailsOf(shown)} />
                </Panel>
                <Limits key={`${shown.name} ${shown.throttleRate}`} application={shown} refresh={loaded.refresh} />
                {canWrite() && (
                  <PortalLink endpoint={{ applicationId: shown.id, applicationName: customerName(shown) }} />
                )}
                {canWrite() && <Erase application={shown} />}
              </div>
            </div>
          </>
        )}
      </Show>
    </Page>
  )
}

function Counters({ application }: { application: ApplicationOverview }) {
  const { id, backlog, backlogAtLeast, partial } = application
  const day = lastDay(application)
  const of = `application=${encodeURIComponent(id)}`
  const counters: readonly (readonly [name: ComponentChildren, value: number, tone?: string, atLeast?: boolean])[] = [
    ['Delivered, 24 h', day.delivered],
    ['Failed attempts, 24 h', day.failed, 'warning'],
    ['Dead, 24 h', day.dead, 'bad'],
    [<a href={href(`deliveries?${of}&status=pending&status=failed`)}>Backlog now</a>, backlog, '', backlogAtLeast],
  ]
  return (
    <ul class="counters four">
      {counters.map(([name, value, tone, atLeast = false], index) => (
        <li key={index} class={value === 0 ? 'none' : tone}>
          <span class="name">{name}</span>
          <span class="value">{count(value, atLeast || partial)}</span>
        </li>
      ))}
    </ul>
  )
}

function detailsOf(application: ApplicationOverview): [string, ComponentChildren][] {
  const { id, uid, endpoints, lastSuccessAt, createdAt, metadata } = application
  return [
    ['Application', <Id id={id} />],
    ...(uid === null ? [] : [['Uid', <Id id={uid} />] as [string, ComponentChildren]]),
    ['Endpoints', count(endpoints)],
    ['Last success', <Ago at={lastSuccessAt} />],
    ['Created', <Ago at={createdAt} />],
    ...Object.entries(metadata).map(([name, value]): [string, ComponentChildren] => [name, value]),
  ]
}
