import { post, problemOf } from '../../api/call.ts'
import type { EndpointDetail } from '../../api/answers.ts'
import { ask } from '../../parts/dialog.tsx'
import { href } from '../../state/router.ts'
import { notify } from '../../state/notices.ts'

/** The actions for an endpoint in its current state. */
export function EndpointActions({ endpoint, refresh }: { endpoint: EndpointDetail; refresh: () => void }) {
  return (
    <>
      <button type="button" class="button" onClick={() => void sendTest(endpoint, refresh)}>
        Send a test
      </button>
      {changesOf[endpoint.status].map((change) => (
        <button
          key={change.verb}
          type="button"
          class={change.isPrimary ? 'button primary' : 'button'}
          onClick={() => void apply(change, endpoint, refresh)}
        >
          {change.word}
        </button>
      ))}
    </>
  )
}

interface Change {
  readonly verb: 'pause' | 'resume' | 'enable' | 'disable'
  readonly word: string
  readonly done: string
  readonly isPrimary: boolean
  /** Absent if no confirmation is needed. */
  readonly question?: Parameters<typeof ask>[0]
}

const pause: Change = {
  verb: 'pause',
  word: 'Pause',
  done: 'Paused. New messages are collected.',
  isPrimary: false,
  question: {
    title: 'Pause this endpoint?',
    sentence: 'Nothing is sent while it is paused. Deliveries to it are kept, and sent when it is resumed.',
    action: 'Pause it',
    wantsReason: true,
  },
}

const disable: Change = {
  verb: 'disable',
  word: 'Disable',
  done: 'Disabled.',
  isPrimary: false,
  question: {
    title: 'Disable this endpoint?',
    sentence: 'Nothing is sent, and it gets no new messages. Once it is enabled again, what it missed can be replayed.',
    action: 'Disable it',
    wantsReason: true,
  },
}

const resume: Change = {
  verb: 'resume',
  word: 'Resume',
  done: 'Resumed. What was collected leaves now.',
  isPrimary: true,
}

const enable: Change = {
  verb: 'enable',
  word: 'Enable',
  done: 'Enabled. Replay what it missed, under Deliveries.',
  isPrimary: true,
}

const changesOf: Readonly<Record<EndpointDetail['status'], readonly Change[]>> = {
  active: [pause, disable],
  paused: [resume],
  disabled: [enable],
}

async function apply({ verb, done, question }: Change, endpoint: EndpointDetail, refresh: () => void): Promise<void> {
  const reply = question === undefined ? {} : await ask(question)
  if (reply === null) return
  const answer = await post(`${pathOf(endpoint)}/${verb}`, reply)
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  notify('good', done)
  refresh()
}

async function sendTest(endpoint: EndpointDetail, refresh: () => void): Promise<void> {
  const eventType = endpoint.types?.find((type) => !type.includes('*')) ?? 'posthorn.test'
  const answer = await post<{ id: string }>(`${pathOf(endpoint)}/send-example`, { eventType })
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  notify('good', `A test of the type ${eventType} is on its way.`, href(`deliveries?message=${answer.value.id}`))
  refresh()
}

function pathOf({ applicationId, id }: EndpointDetail): string {
  return `app/${applicationId}/endpoint/${id}`
}
