import { post, problemOf } from '../../api/call.ts'
import type { Alarm } from '../../api/answers.ts'
import { Panel } from '../../parts/page.tsx'
import { State } from '../../parts/status.tsx'
import { Ago, Prose } from '../../parts/time.tsx'
import { notify } from '../../state/notices.ts'
import { href } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'

/** The alarms that are raised now: severity, message, since when, and who has acknowledged it. Unacknowledged ones come first. */
export function Alarms({ alarms, refresh }: { alarms: readonly Alarm[]; refresh: () => void }) {
  const unseenFirst = alarms.toSorted((one, other) => Number(isSeen(one)) - Number(isSeen(other)))
  return (
    <Panel title="Alarms">
      <div class="scroll">
        <table class="rows alarms">
          <caption class="hidden">Alarms that are raised now, pages first</caption>
          <thead>
            <tr>
              <th scope="col">Severity</th>
              <th scope="col">Alarm</th>
              <th scope="col" class="wide">
                Raised
              </th>
              <th scope="col" class="wide">
                Acknowledged
              </th>
            </tr>
          </thead>
          <tbody>
            {unseenFirst.map((alarm) => (
              <tr key={alarm.id} class={isSeen(alarm) ? 'seen' : undefined}>
                <td>
                  <State
                    tone={toneOf(alarm)}
                    icon={alarm.severity === 'page' ? 'broken' : 'retry'}
                    word={alarm.severity}
                  />
                </td>
                <td class="main">
                  <What alarm={alarm} />
                  <div class="narrow under">
                    <Seen alarm={alarm} refresh={refresh} />
                  </div>
                </td>
                <td class="wide when">
                  <Ago at={alarm.raisedAt} />
                </td>
                <td class="wide when">
                  <Seen alarm={alarm} refresh={refresh} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function isSeen({ acknowledged }: Alarm): boolean {
  return acknowledged !== null
}

function toneOf(alarm: Alarm): 'bad' | 'warning' | 'idle' {
  if (isSeen(alarm)) return 'idle'
  return alarm.severity === 'page' ? 'bad' : 'warning'
}

function What({ alarm }: { alarm: Alarm }) {
  const to = alarm.endpointId === null ? pages[alarm.signal] : `endpoints/${alarm.endpointId}`
  const said = <Prose text={alarm.message} />
  return to === undefined ? <span>{said}</span> : <a href={href(to)}>{said}</a>
}

function Seen({ alarm, refresh }: { alarm: Alarm; refresh: () => void }) {
  async function acknowledge(): Promise<void> {
    const answer = await post(`alarm/${encodeURIComponent(alarm.id)}/acknowledge`)
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    refresh()
  }

  if (alarm.acknowledged !== null)
    return (
      <>
        {alarm.acknowledged.by}, <Ago at={alarm.acknowledged.at} />
      </>
    )
  if (!canWrite()) return <span class="muted">by nobody yet</span>
  return (
    <button
      type="button"
      class="button small"
      aria-label={`Acknowledge: ${alarm.message}`}
      onClick={() => void acknowledge()}
    >
      Acknowledge
    </button>
  )
}

/** The page with more about it. */
const pages: Readonly<Partial<Record<Alarm['signal'], string>>> = {
  'dead-letter': 'dead-letters',
  'dead-letter-rate': 'dead-letters',
  'oldest-due': 'deliveries?status=pending',
  backlog: 'deliveries?status=pending',
}
