import type { Attempt } from '../../../api/answers.ts'
import { latency } from '../../../text/format.ts'

type Timing = NonNullable<Attempt['timing']>

interface Segment {
  readonly name: string
  readonly tone: 'dns' | 'connect' | 'tls' | 'wait' | 'body'
  readonly ms: number
  /** It was under way when the attempt ended. */
  readonly unfinished?: true
}

/** Where the time of an attempt went: a bar of its steps, and the same in numbers. */
export function AttemptTiming({ attempt, slowestMs }: { attempt: Attempt; slowestMs: number }) {
  const { timing, tookMs } = attempt
  const segments = timing === null ? [] : segmentsOf(attempt, timing)
  return (
    <div class="timing">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {segments.length === 0 ? (
          <rect width={widthOf(tookMs, slowestMs)} height="6" />
        ) : (
          placed(segments, slowestMs).map(({ tone, x, width, unfinished }) => (
            <rect key={tone} class={unfinished ? `${tone} unfinished` : tone} x={x} width={width} height="6" />
          ))
        )}
      </svg>
      <ul aria-label="Where the time went">
        {timing?.reused === true && <li>Connection reused</li>}
        {segments.map(({ name, tone, ms, unfinished }) => (
          <li key={tone}>
            <i class={tone} aria-hidden="true" />
            {name} <b>{latency(ms)}</b>
            {unfinished && ', not finished'}
          </li>
        ))}
        <li>
          {segments.length > 0 && 'Total '}
          <b>{latency(tookMs)}</b>
        </li>
      </ul>
    </div>
  )
}

/** The steps in order. The first one without a time was not finished: the remaining time belongs to it. */
function segmentsOf({ url, outcome }: Attempt, timing: Timing): Segment[] {
  const steps = [
    { name: 'DNS', tone: 'dns', ms: timing.dnsMs },
    { name: 'Connect', tone: 'connect', ms: timing.connectMs },
    ...(url.startsWith('https:') ? [{ name: 'TLS', tone: 'tls', ms: timing.tlsMs } as const] : []),
  ] as const
  const needed = [
    ...(timing.reused ? [] : steps),
    { name: 'First byte', tone: 'wait', ms: timing.firstByteMs } as const,
  ]
  const segments: Segment[] = []
  let restMs = timing.totalMs
  for (const { name, tone, ms } of needed) {
    if (ms === null) return [...segments, { name, tone, ms: Math.max(restMs, 0), unfinished: true }]
    segments.push({ name, tone, ms })
    restMs -= ms
  }
  return restMs > 0 && outcome === 'answered' ? [...segments, { name: 'Body', tone: 'body', ms: restMs }] : segments
}

function placed(segments: readonly Segment[], slowestMs: number): (Segment & { x: number; width: number })[] {
  let startMs = 0
  return segments.map((segment) => {
    const x = (startMs / slowestMs) * 100
    startMs += segment.ms
    return { ...segment, x, width: widthOf(segment.ms, slowestMs) }
  })
}

/** At least wide enough to be visible. */
function widthOf(ms: number, slowestMs: number): number {
  return Math.max(0.5, (ms / slowestMs) * 100)
}
