import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { EventType as EventTypeAnswer } from '../../api/answers.ts'
import { Show } from '../../parts/loaded.tsx'
import { Details, Page, Panel } from '../../parts/page.tsx'
import { Ago } from '../../parts/time.tsx'
import { href } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { deleteType, pathOf, setArchived } from './event-type-actions.ts'
import { EditType } from './event-type-dialogs.tsx'
import { TypeState } from './event-type-state.tsx'
import { SchemaPanel } from './schema/schema-panel.tsx'

interface Kept {
  readonly type: EventTypeAnswer
  /** Shows the type as the server has it after a change. */
  readonly keep: (type: EventTypeAnswer) => void
}

/** One event type: what it means, what its payload looks like, and whether customers see it. */
export function EventType({ name }: { name: string }) {
  const loaded = useLoad<EventTypeAnswer>(pathOf(name))
  // Not refreshed automatically: nothing may change while somebody is typing.
  const [changed, keep] = useState<EventTypeAnswer | null>(null)
  const type = changed ?? loaded.value
  return (
    <Page
      title={name}
      above={<a href={href('event-types')}>Event types</a>}
      actions={type !== null && canWrite() && <Actions type={type} keep={keep} />}
    >
      <Show loaded={{ ...loaded, value: type }} lines={8}>
        {(shown) => (
          <div class="event-type">
            <About type={shown} keep={keep} />
            <SchemaPanel type={shown} keep={keep} />
            {canWrite() && <Dangers type={shown} />}
          </div>
        )}
      </Show>
    </Page>
  )
}

function Actions({ type, keep }: Kept) {
  return (
    <>
      <a class="button" href={href(`messages/send?event_type=${encodeURIComponent(type.name)}`)}>
        Send a test
      </a>
      <button type="button" class="button" onClick={() => void setArchived(type, !type.archived, keep)}>
        {type.archived ? 'Unarchive …' : 'Archive …'}
      </button>
    </>
  )
}

function About({ type, keep }: Kept) {
  const [isEditing, setEditing] = useState(false)
  return (
    <Panel
      title="Details"
      actions={
        canWrite() && (
          <button type="button" class="button" onClick={() => setEditing(true)}>
            Edit
          </button>
        )
      }
    >
      <p>{type.description === '' ? <span class="muted">No description.</span> : type.description}</p>
      <Details details={detailsOf(type)} />
      {isEditing && (
        <EditType
          type={type}
          close={() => setEditing(false)}
          done={(next) => {
            setEditing(false)
            keep(next)
          }}
        />
      )}
    </Panel>
  )
}

function detailsOf(type: EventTypeAnswer): (readonly [string, ComponentChildren])[] {
  const { name, featureFlag, createdAt, updatedAt } = type
  const of = `event_type=${encodeURIComponent(name)}`
  return [
    ['State', <TypeState type={type} />],
    ['Feature flag', featureFlag === null ? <span class="muted">none</span> : <code>{featureFlag}</code>],
    ['Created', <Ago at={createdAt} />],
    ['Updated', <Ago at={updatedAt} />],
    [
      'Sent',
      <>
        <a href={href(`messages?${of}`)}>Messages</a>, <a href={href(`deliveries?${of}`)}>deliveries</a>
      </>,
    ],
  ]
}

function Dangers({ type }: { type: EventTypeAnswer }) {
  return (
    <Panel title="Delete">
      <p class="muted">To hide it from customers and keep what it says, archive it instead.</p>
      <button type="button" class="button danger" onClick={() => void deleteType(type)}>
        Delete the event type …
      </button>
    </Panel>
  )
}
