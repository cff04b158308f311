import type { Endpoint, Overview as Numbers, Worker } from '../../api/answers.ts'
import { bucketTime, count, counted, duration, latency, percent } from '../../text/format.ts'
import { Alarms } from './alarms.tsx'
import { Chart } from '../../parts/chart/chart.tsx'
import { Code } from '../../parts/code.tsx'
import { EndpointRow } from '../endpoint/endpoint-row.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Page, Panel } from '../../parts/page.tsx'
import { Show } from '../../parts/loaded.tsx'
import { Ago } from '../../parts/time.tsx'
import { href, query, setQuery } from '../../state/router.ts'
import { now } from '../../state/now.ts'
import { verdict } from './verdict.ts'
import { sendCurl } from '../curl-examples.ts'

const refreshMs = 3_000
const windows = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
] as const

/** How things stand: first in a sentence, then in numbers, then drawn. */
export function Overview() {
  const chosen = query.value.get('window') ?? '1h'
  const loaded = useLoad<Numbers>('overview', { window: chosen }, refreshMs)
  return (
    <Page title="Overview" actions={<Windows chosen={chosen} />}>
      <Show loaded={loaded} lines={8}>
        {(numbers) => (
          <>
            <Summary numbers={numbers} />
            {numbers.alarms.length > 0 && <Alarms alarms={numbers.alarms} />}
            <Counters numbers={numbers} />
            {numbers.failing.length > 0 && <Failing endpoints={numbers.failing} />}
            {numbers.attempts === 0 && numbers.queue.fresh === 0 ? <FirstSteps /> : <Charts numbers={numbers} />}
            <Workers workers={numbers.workers} />
          </>
        )}
      </Show>
    </Page>
  )
}

function Windows({ chosen }: { chosen: string }) {
  return (
    <fieldset class="segments">
      <legend class="hidden">Window</legend>
      {windows.map(([value, name]) => (
        <label key={value}>
          <input
            type="radio"
            name="window"
            value={value}
            checked={value === chosen}
            onChange={() => setQuery({ window: value }, 'replace')}
          />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}

function Summary({ numbers }: { numbers: Numbers }) {
  const { tone, sentence } = verdict(numbers)
  const icon = tone === 'good' ? 'check' : tone === 'warning' ? 'retry' : 'broken'
  return (
    <div class={`verdict ${tone}`}>
      <Icon name={icon} />
      <div>
        <p class="sentence">{sentence}</p>
        <p class="muted">{circumstances(numbers, now.value)}</p>
      </div>
    </div>
  )
}

function circumstances({ queue, alarm, deadLetterRate, workers }: Numbers, at: number): string {
  const lateMs = queue.oldestDueAt === null ? 0 : at - Date.parse(queue.oldestDueAt)
  const parts = [
    lateMs < 1_000 ? 'Nothing is late' : `The oldest due delivery is ${duration(lateMs)} late`,
    alarm === 'none'
      ? null
      : `${percent(deadLetterRate)} of what ended is dead, more than ${alarm === 'alarm' ? 5 : 2} %`,
    `${counted(workers.length, 'worker')} alive`,
  ]
  return `${parts.filter((part) => part !== null).join(' · ')}.`
}

function Counters({ numbers }: { numbers: Numbers }) {
  const { delivered, queue, deadLetterRate, latencyP50Ms, latencyP95Ms, failed, attempts } = numbers
  return (
    <ul class="counters">
      <Counter
        name="Delivered"
        value={count(delivered)}
        under={`of ${counted(attempts, 'attempt')}`}
        to="deliveries?status=delivered"
        tone="good"
      />
      <Counter
        name="Queued"
        value={count(queue.fresh, queue.atLeast)}
        under="not yet attempted"
        to="deliveries?status=pending"
        tone="idle"
      />
      <Counter
        name="Retrying"
        value={count(queue.retries, queue.atLeast)}
        under={counted(failed, 'failed attempt')}
        to="deliveries?status=failed"
        tone="warning"
      />
      <Counter
        name="Held"
        value={count(queue.held, queue.atLeast)}
        under="breaker or pause"
        to="endpoints"
        tone="held"
      />
      <Counter
        name="Dead letters"
        value={count(queue.dead, queue.atLeast)}
        under={`${percent(deadLetterRate)} of what ended`}
        to="dead-letters"
        tone="bad"
      />
      <Counter name="Latency" value={latency(latencyP50Ms)} under={`median; p95 ${latency(latencyP95Ms)}`} />
    </ul>
  )
}

function Counter({
  name,
  value,
  under,
  to,
  tone = '',
}: {
  name: string
  value: string
  under: string
  to?: string
  tone?: string
}) {
  return (
    <li class={value === '0' ? 'none' : tone}>
      <span class="name">{to === undefined ? name : <a href={href(to)}>{name}</a>}</span>
      <span class="value">{value}</span>
      <span class="under">{under}</span>
    </li>
  )
}

function Charts({ numbers: { buckets, windowMs, bucketMs, delivered, failed } }: { numbers: Numbers }) {
  const times = buckets.map(({ at }) => bucketTime(at, windowMs))
  const share = delivered + failed === 0 ? null : delivered / (delivered + failed)
  return (
    <div class="charts">
      <Chart
        title="Throughput"
        summary={`${count(delivered)} delivered, ${counted(failed, 'failed attempt')}; each bar is ${duration(bucketMs)}`}
        kind="bars"
        times={times}
        show={(value) => count(value)}
        series={[
          { name: 'delivered', tone: 'delivered', values: buckets.map((bucket) => bucket.delivered) },
          { name: 'failed attempts', tone: 'failed', values: buckets.map((bucket) => bucket.failed) },
          { name: 'dead', tone: 'dead', values: buckets.map((bucket) => bucket.dead) },
        ]}
      />
      <Chart
        title="Success rate"
        summary={share === null ? 'No attempts yet' : `${percent(share)} of attempts succeeded`}
        kind="lines"
        top={1}
        times={times}
        show={percent}
        series={[{ name: 'succeeded', tone: 'delivered', values: buckets.map(successShare) }]}
      />
      <Chart
        title="Latency"
        summary="how long endpoints take to answer"
        kind="lines"
        times={times}
        show={latency}
        series={[
          { name: 'median', tone: 'first', values: buckets.map((bucket) => bucket.latencyP50Ms) },
          { name: 'p95', tone: 'second', values: buckets.map((bucket) => bucket.latencyP95Ms) },
        ]}
      />
    </div>
  )
}

function successShare({ delivered, failed }: { delivered: number; failed: number }): number | null {
  return delivered + failed === 0 ? null : delivered / (delivered + failed)
}

function Failing({ endpoints }: { endpoints: readonly Omit<Endpoint, 'hours'>[] }) {
  return (
    <Panel title="Failing endpoints">
      <div class="scroll">
        <table class="rows">
          <caption class="hidden">Endpoints that are failing, worst first</caption>
          <thead>
            <tr>
              <th scope="col" class="wide">
                Health
              </th>
              <th scope="col">Endpoint and why</th>
              <th scope="col" class="wide">
                Failing since
              </th>
              <th scope="col" class="number">
                Backlog
              </th>
            </tr>
          </thead>
          <tbody>
            {endpoints.map((endpoint) => (
              <EndpointRow key={endpoint.id} endpoint={endpoint}>
                <td class="wide when">
                  <Ago at={endpoint.health.failingSince} none="" />
                </td>
              </EndpointRow>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function Workers({ workers }: { workers: readonly Worker[] }) {
  return (
    <Panel title="Workers">
      {workers.length === 0 ? (
        <p>
          No worker is alive, so nothing is sent. Start one: <code>posthorn worker</code>
        </p>
      ) : (
        <div class="scroll">
          <table class="rows">
            <caption class="hidden">Workers that are alive</caption>
            <thead>
              <tr>
                <th scope="col">Host and process</th>
                <th scope="col" class="wide">
                  Id
                </th>
                <th scope="col">Started</th>
                <th scope="col">Seen</th>
              </tr>
            </thead>
            <tbody>
              {workers.map(({ id, host, pid, startedAt, seenAt }) => (
                <tr key={id}>
                  <td class="main">
                    {host} <span class="muted">pid {pid}</span>
                  </td>
                  <td class="wide when">
                    <code>{id}</code>
                  </td>
                  <td class="when">
                    <Ago at={startedAt} />
                  </td>
                  <td class="when">
                    <Ago at={seenAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

function FirstSteps() {
  return (
    <Panel title="Nothing was sent in this time">
      <p>
        Choose a longer time above; or add an <a href={href('endpoints')}>endpoint</a> and send it a message, which
        shows up here within seconds.
      </p>
      <Code label="A command that sends a message" text={sendCurl()} />
    </Panel>
  )
}
