import type { Overview } from '../../api/answers.ts'
import { Chart } from '../../parts/chart/chart.tsx'
import { bucketTime, count, counted, duration, latency, percent } from '../../text/format.ts'
import { Counter } from './counter.tsx'

type Numbers = Overview
type Bucket = Overview['buckets'][number]

/** What happened in the chosen range: numbers, then charts. */
export function Range({ numbers, name }: { numbers: Numbers; name: string }) {
  return (
    <section class="figures" aria-labelledby="range">
      <h2 id="range">{name}</h2>
      <Counters numbers={numbers} />
      <Charts numbers={numbers} />
    </section>
  )
}

function Counters({ numbers }: { numbers: Numbers }) {
  const { delivered, failed, dead, attempts, latencyP50Ms, latencyP95Ms } = numbers
  const share = successShare({ delivered, failed, dead })
  return (
    <ul class="counters four">
      <Counter
        name="Delivered"
        value={count(delivered)}
        under={`in ${counted(attempts, 'attempt')}`}
        to={`deliveries?status=delivered&since=${since(numbers)}`}
        tone="good"
      />
      <Counter
        name="Success rate"
        value={share === null ? '–' : percent(share)}
        under={counted(failed + dead, 'failed attempt')}
        tone={share !== null && share < 0.95 ? 'warning' : ''}
      />
      <Counter name="Latency, median" value={latency(latencyP50Ms)} under="until the response" />
      <Counter name="Latency, p95" value={latency(latencyP95Ms)} under="1 in 20 takes longer" />
    </ul>
  )
}

function since({ at, windowMs }: Numbers): string {
  return encodeURIComponent(new Date(Date.parse(at) - windowMs).toISOString())
}

function Charts({ numbers }: { numbers: Numbers }) {
  const { buckets, windowMs, bucketMs, delivered, failed, dead } = numbers
  const shared = {
    times: buckets.map(({ at }) => bucketTime(at, windowMs)),
    links: buckets.map((bucket) => deliveriesIn(bucket, bucketMs)),
  }
  const share = successShare({ delivered, failed, dead })
  return (
    <div class="charts">
      <Chart
        {...shared}
        title="Throughput"
        summary={`${count(delivered)} delivered, ${counted(failed + dead, 'failed attempt')}; each bar is ${duration(bucketMs)}`}
        kind="bars"
        show={(value) => count(value)}
        series={[
          { name: 'delivered', tone: 'delivered', values: buckets.map((bucket) => bucket.delivered) },
          { name: 'failed attempts', tone: 'failed', values: buckets.map((bucket) => bucket.failed) },
          { name: 'dead', tone: 'dead', values: buckets.map((bucket) => bucket.dead) },
        ]}
      />
      <Chart
        {...shared}
        title="Success rate"
        summary={share === null ? 'No attempts in this range' : `${percent(share)} of attempts succeeded`}
        kind="lines"
        top={1}
        show={percent}
        series={[{ name: 'succeeded', tone: 'delivered', values: buckets.map(successShare) }]}
      />
      <Chart
        {...shared}
        title="Latency"
        summary="how long endpoints take to respond"
        kind="lines"
        show={latency}
        series={[
          { name: 'median', tone: 'first', values: buckets.map((bucket) => bucket.latencyP50Ms) },
          { name: 'p95', tone: 'second', values: buckets.map((bucket) => bucket.latencyP95Ms) },
        ]}
      />
    </div>
  )
}

/** The link to the deliveries of one bucket; null if nothing happened in it. */
function deliveriesIn({ at, delivered, failed, dead }: Bucket, bucketMs: number): string | null {
  if (delivered + failed + dead === 0) return null
  const until = new Date(Date.parse(at) + bucketMs).toISOString()
  return `deliveries?${new URLSearchParams({ since: new Date(at).toISOString(), until }).toString()}`
}

function successShare({ delivered, failed, dead }: Pick<Bucket, 'delivered' | 'failed' | 'dead'>): number | null {
  const attempts = delivered + failed + dead
  return attempts === 0 ? null : delivered / attempts
}
