import type { ComponentChildren } from 'preact'
import type { Endpoint } from '../../api/answers.ts'
import { Health } from '../../parts/status.tsx'
import { Ago, Lasting, Until } from '../../parts/time.tsx'

type Standing = Pick<Endpoint, 'health' | 'status' | 'statusReason' | 'statusSince' | 'lastSuccessAt'>

const tones = { healthy: 'good', degraded: 'warning', breaker_open: 'bad', paused: 'held', disabled: 'held' } as const

/** The status of an endpoint, as a word and a sentence, with the actions for it. */
export function EndpointStatus({ endpoint, children }: { endpoint: Standing; children: ComponentChildren }) {
  return (
    <section class={`standing ${tones[endpoint.health.state]}`} aria-label="Status">
      <div class="said">
        <Health endpoint={endpoint} />
        <p>
          <StatusSentence endpoint={endpoint} />
        </p>
      </div>
      <div class="actions">{children}</div>
    </section>
  )
}

export function StatusSentence({ endpoint }: { endpoint: Standing }) {
  const { health, statusSince } = endpoint
  switch (health.state) {
    case 'healthy':
      return <Healthy lastSuccessAt={endpoint.lastSuccessAt} />
    case 'degraded':
      return (
        <>
          Every attempt {failed(health.failingSince)}.<Ending health={health} />
        </>
      )
    case 'breaker_open':
      return <OnHold health={health} />
    case 'paused':
      return (
        <>
          Paused <Ago at={statusSince} />
          <Reason endpoint={endpoint} />: its deliveries are kept, and sent when it is resumed.
        </>
      )
    case 'disabled':
      return (
        <>
          Disabled <Ago at={statusSince} />
          <Reason endpoint={endpoint} />: it gets nothing new, and nothing is sent.
        </>
      )
  }
}

function Healthy({ lastSuccessAt }: Pick<Standing, 'lastSuccessAt'>) {
  if (lastSuccessAt === null) return <>No delivery has succeeded yet, and none is failing.</>
  return (
    <>
      Working. The last delivery succeeded <Ago at={lastSuccessAt} />.
    </>
  )
}

function OnHold({ health }: Pick<Standing, 'health'>) {
  return (
    <>
      On hold
      {health.heldUntil !== null && (
        <>
          , next attempt <Until at={health.heldUntil} />
        </>
      )}
      : {health.failingSince === null ? 'it asked for a pause.' : <>every attempt {failed(health.failingSince)}.</>}
      <Ending health={health} />
    </>
  )
}

function failed(since: string | null) {
  if (since === null) return 'fails'
  return (
    <>
      has failed for <Lasting since={since} />
    </>
  )
}

function Ending({ health: { willBeDisabledAt } }: Pick<Standing, 'health'>) {
  if (willBeDisabledAt === null) return null
  return (
    <>
      {' '}
      It will be disabled <Until at={willBeDisabledAt} />, unless a delivery succeeds before then.
    </>
  )
}

function Reason({ endpoint: { statusReason } }: { endpoint: Standing }) {
  return statusReason === null ? null : <> ({statusReason})</>
}
