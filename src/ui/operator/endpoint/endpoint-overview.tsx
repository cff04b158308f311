import type { ComponentChildren } from 'preact'
import type { EndpointDetail, EndpointTimeline } from '../../api/answers.ts'
import { bucketTime, count, counted, duration, latency, percent } from '../../text/format.ts'
import { Chart } from '../../parts/chart/chart.tsx'
import { Code, Id } from '../../parts/code.tsx'
import { Show } from '../../parts/loaded.tsx'
import { Details, Panel } from '../../parts/page.tsx'
import { Ago, Until } from '../../parts/time.tsx'
import { useLoad } from '../../state/use-load.ts'
import { href, query } from '../../state/router.ts'
import { Windows } from '../../parts/form/segments.tsx'
import { canWrite } from '../../state/session.ts'
import { outcomeLabel } from '../../text/labels.ts'
import { PortalLink } from './portal-link.tsx'

const refreshMs = 10_000
const windows = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
] as const

/** How an endpoint is doing: numbers, a chart and the last error. */
export function EndpointOverview({ endpoint }: { endpoint: EndpointDetail }) {
  const window = query.value.get('window') === '7d' ? '7d' : '24h'
  const loaded = useLoad<EndpointTimeline>(
    `endpoint/${encodeURIComponent(endpoint.id)}/timeline`,
    { window },
    refreshMs,
  )
  return (
    <div class="columns">
      <div>
        <h2 class="hidden">Figures</h2>
        <Windows options={windows} chosen={window} />
        <Show loaded={loaded} lines={6}>
          {(timeline) => (
            <div class="endpoint">
              <Numbers endpoint={endpoint} timeline={timeline} />
              <Drawn timeline={timeline} />
            </div>
          )}
        </Show>
        <LastError endpoint={endpoint} />
        <Failures failures={endpoint.failures} />
      </div>
      <div>
        <Panel title="Details">
          <Details details={detailsOf(endpoint)} />
        </Panel>
        {canWrite() && <PortalLink endpoint={endpoint} />}
      </div>
    </div>
  )
}

function Numbers({ endpoint, timeline: { total } }: { endpoint: EndpointDetail; timeline: EndpointTimeline }) {
  const attempts = total.delivered + total.failed + total.dead
  const { backlog, backlogAtLeast } = endpoint
  return (
    <ul class="counters figures">
      <Figure name="Success rate" under={attempts === 0 ? 'no attempts' : `of ${counted(attempts, 'attempt')}`}>
        {attempts === 0 ? '–' : percent(total.delivered / attempts)}
      </Figure>
      <Figure
        name="Latency"
        under={total.latencyP95Ms === null ? 'median' : `median; p95 ${latency(total.latencyP95Ms)}`}
      >
        {latency(total.latencyP50Ms)}
      </Figure>
      <Figure name="Backlog" under="wait to be sent">
        <a href={href(`endpoints/${endpoint.id}?tab=deliveries&status=pending&status=failed`)}>
          {count(backlog, backlogAtLeast)}
        </a>
      </Figure>
      <NextRetry endpoint={endpoint} />
    </ul>
  )
}

/** When the first waiting delivery is sent: not before the end of a hold. */
function NextRetry({ endpoint: { nextRetry, health, status } }: { endpoint: EndpointDetail }) {
  if (nextRetry === null) return <Figure name="Next retry" under="none waits" children="–" />
  const isStopped = status !== 'active'
  const isHeld = health.heldUntil !== null && Date.parse(health.heldUntil) > Date.parse(nextRetry.at)
  const at = isHeld && health.heldUntil !== null ? health.heldUntil : nextRetry.at
  return (
    <Figure
      name="Next retry"
      under={isStopped ? `it is ${status}` : isHeld ? 'when the hold ends' : 'the earliest of them'}
    >
      <a href={href(`deliveries/${nextRetry.deliveryId}`)}>{isStopped ? 'on hold' : <Until at={at} />}</a>
    </Figure>
  )
}

function Figure({ name, under, children }: { name: string; under: string; children: ComponentChildren }) {
  return (
    <li>
      <span class="name">{name}</span>
      <span class="value">{children}</span>
      <span class="name">{under}</span>
    </li>
  )
}

function Drawn({ timeline: { buckets, windowMs, bucketMs, total } }: { timeline: EndpointTimeline }) {
  const times = buckets.map(({ at }) => bucketTime(at, windowMs))
  return (
    <div class="charts">
      <Chart
        title="Attempts"
        summary={`${count(total.delivered)} delivered, ${counted(total.failed, 'failed attempt')}, ${count(total.dead)} dead; each bar is ${duration(bucketMs)}`}
        kind="bars"
        times={times}
        show={(value) => count(value)}
        series={[
          { name: 'delivered', tone: 'delivered', values: buckets.map((bucket) => bucket.delivered) },
          { name: 'failed attempts', tone: 'failed', values: buckets.map((bucket) => bucket.failed) },
          { name: 'dead', tone: 'dead', values: buckets.map((bucket) => bucket.dead) },
        ]}
      />
    </div>
  )
}

function LastError({ endpoint: { lastError } }: { endpoint: EndpointDetail }) {
  if (lastError === null) return null
  const { deliveryId, eventType, at, outcome, statusCode, errorDetail } = lastError
  return (
    <Panel title="Last error" actions={<a href={href(`deliveries/${deliveryId}`)}>Open its delivery</a>}>
      <p>
        <strong class="bad-word">{outcomeLabel(outcome, statusCode)}</strong> for{' '}
        <a href={href(`deliveries/${deliveryId}`)}>{eventType}</a>, <Ago at={at} />
      </p>
      {errorDetail !== null && <Code label="What it answered" text={errorDetail} />}
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

function detailsOf(endpoint: EndpointDetail): [string, ComponentChildren][] {
  const details: [string, ComponentChildren | null][] = [
    ['Application', <a href={href(`applications/${endpoint.applicationId}`)}>{endpoint.applicationName}</a>],
    ['Last success', <Ago at={endpoint.lastSuccessAt} />],
    ['Event types', namesOr(endpoint.types, 'all')],
    ['Channels', namesOr(endpoint.channels, null)],
    ['Policy', endpoint.policy],
    ['Rate limit', endpoint.ratePerSecond === null ? 'none' : `${count(endpoint.ratePerSecond)} per second`],
    ['Signature', endpoint.signature],
    ['Description', endpoint.description === '' ? null : endpoint.description],
    ['Created', <Ago at={endpoint.createdAt} />],
    ['Endpoint', <Id id={endpoint.id} />],
    ['Uid', endpoint.uid === null ? null : <Id id={endpoint.uid} />],
  ]
  return details.filter(([, value]) => value !== null)
}

function namesOr(names: readonly string[] | null, none: string | null): string | null {
  return names === null || names.length === 0 ? none : names.join(', ')
}
