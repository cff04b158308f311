import type { Alarm } from '../../api/answers.ts'
import { Panel } from '../../parts/page.tsx'
import { State } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { href } from '../../state/router.ts'

/** What is raised now: how bad, what, and since when. */
export function Alarms({ alarms }: { alarms: readonly Alarm[] }) {
  return (
    <Panel title="Alarms">
      <div class="scroll">
        <table class="rows">
          <caption class="hidden">Alarms that are raised now, pages first</caption>
          <thead>
            <tr>
              <th scope="col">Severity</th>
              <th scope="col">Alarm</th>
              <th scope="col" class="wide">
                Since
              </th>
            </tr>
          </thead>
          <tbody>
            {alarms.map((alarm) => (
              <tr key={alarm.id}>
                <td>
                  <State
                    tone={alarm.severity === 'page' ? 'bad' : 'warning'}
                    icon={alarm.severity === 'page' ? 'broken' : 'retry'}
                    word={alarm.severity}
                  />
                </td>
                <td class="main">
                  <What alarm={alarm} />
                </td>
                <td class="wide when">
                  <Ago at={alarm.raisedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function What({ alarm }: { alarm: Alarm }) {
  const to = alarm.endpointId === null ? pages[alarm.signal] : `endpoints/${alarm.endpointId}`
  return to === undefined ? <span>{alarm.message}</span> : <a href={href(to)}>{alarm.message}</a>
}

/** Where one can see more of it. */
const pages: Readonly<Partial<Record<Alarm['signal'], string>>> = {
  'dead-letter': 'dead-letters',
  'dead-letter-rate': 'dead-letters',
  'oldest-due': 'deliveries?status=pending',
  backlog: 'deliveries?status=pending',
}
