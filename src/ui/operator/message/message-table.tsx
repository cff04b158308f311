import type { MessageOverview } from '../../api/answers.ts'
import { State } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { href } from '../../state/router.ts'
import { count } from '../../text/format.ts'
import { customerName } from '../application/application-health.ts'
import { progressState, total } from './message-progress.ts'

interface MessageTableProps {
  readonly caption: string
  readonly messages: readonly MessageOverview[]
  /** All are of the same application: its name would be in every row. */
  readonly isOfOneApplication?: boolean
}

/** Messages, newest first, with the status of each. */
export function MessageTable({ caption, messages, isOfOneApplication = false }: MessageTableProps) {
  return (
    <div class="scroll">
      <table class="rows messages">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="wide">
              Status
            </th>
            <th scope="col">Event and id</th>
            {!isOfOneApplication && (
              <th scope="col" class="wide">
                Application
              </th>
            )}
            <th scope="col" class="number wide">
              Deliveries
            </th>
            <th scope="col" aria-sort="descending">
              Created
            </th>
          </tr>
        </thead>
        <tbody>
          {messages.map((message) => (
            <Row key={message.id} message={message} isOfOneApplication={isOfOneApplication} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ message, isOfOneApplication }: { message: MessageOverview; isOfOneApplication: boolean }) {
  const { id, eventId, eventType, application, deliveries, createdAt } = message
  const progress = progressState(deliveries)
  const state = <State {...progress} />
  // As in the list of deliveries: the ordinary recedes.
  const isOrdinary = progress.tone === 'good' || progress.tone === 'idle'
  return (
    <tr data-row tabIndex={-1} class={isOrdinary ? 'quiet' : undefined}>
      <td class="wide">{state}</td>
      <td class="main">
        <div class="narrow">{state}</div>
        <a href={href(`messages/${id}`)}>{eventType}</a>
        {!isOfOneApplication && <div class="under narrow">{customerName(application)}</div>}
        <div class="under">{eventId ?? id}</div>
      </td>
      {!isOfOneApplication && (
        <td class="wide cut customer">
          <a href={href(`applications/${application.id}`)}>{customerName(application)}</a>
        </td>
      )}
      <td class={total(deliveries) === 0 ? 'number wide muted' : 'number wide'}>{count(total(deliveries))}</td>
      <td class="when">
        <Ago at={createdAt} />
      </td>
    </tr>
  )
}
