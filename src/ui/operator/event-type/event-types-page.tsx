import { useState } from 'preact/hooks'
import { post } from '../../api/call.ts'
import type { EventType, List } from '../../api/answers.ts'
import { exampleOf } from '../../text/schema-example.ts'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field, Form } from '../../parts/form/form.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { State } from '../../parts/status.tsx'
import { href, query } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { eventTypeCurl } from '../curl-examples.ts'

const pageSize = 50

/** What can happen, with the shape of what is sent. */
export function EventTypes() {
  const loaded = useLoad<List<EventType>>('event-type', {
    iterator: query.value.get('iterator'),
    limit: pageSize,
    with_content: 'true',
    include_archived: 'true',
  })
  const [isAdding, setAdding] = useState(false)
  const canAdd = canWrite()
  return (
    <Page
      title="Event types"
      actions={
        canAdd && (
          <button type="button" class="button primary" onClick={() => setAdding(true)}>
            Add an event type
          </button>
        )
      }
    >
      <Show loaded={loaded}>
        {(list) =>
          list.data.length === 0 ? (
            <NoTypes canAdd={canAdd} />
          ) : (
            <>
              <ul class="plain types">
                {list.data.map((type) => (
                  <Type key={type.name} type={type} />
                ))}
              </ul>
              <Pager list={list} />
            </>
          )
        }
      </Show>
      {isAdding && (
        <Adding
          close={() => setAdding(false)}
          done={() => {
            setAdding(false)
            loaded.refresh()
          }}
        />
      )}
    </Page>
  )
}

function NoTypes({ canAdd }: { canAdd: boolean }) {
  return (
    <Empty title="No event types are declared">
      <p>Messages need none. Declared ones document themselves here and check payloads against their schema.</p>
      {canAdd && <Code label="A command that declares an event type" text={eventTypeCurl()} />}
    </Empty>
  )
}

function Type({ type }: { type: EventType }) {
  const [version, schema] = Object.entries(type.schemas ?? {}).at(-1) ?? []
  return (
    <li class="panel" data-row tabIndex={-1}>
      <div class="head">
        <h2>
          <a href={href(`deliveries?event_type=${encodeURIComponent(type.name)}`)}>{type.name}</a>
        </h2>
        <div class="actions">
          {type.archived && <State tone="held" icon="stop" word="archived" />}
          {type.deprecated && <State tone="warning" icon="broken" word="deprecated" />}
        </div>
      </div>
      <p>{type.description}</p>
      {schema === undefined ? (
        <p class="muted">No schema: any payload will do.</p>
      ) : (
        <details>
          <summary>
            Schema <span class="muted">version {version}</span> and example
          </summary>
          <div class="two">
            <Code label={`Schema of ${type.name}`} text={JSON.stringify(schema, null, 2)} />
            <Code label={`Example of ${type.name}`} text={JSON.stringify(exampleOf(schema), null, 2)} />
          </div>
        </details>
      )}
    </li>
  )
}

function Adding({ close, done }: { close: () => void; done: () => void }) {
  return (
    <Dialog title="Add an event type" onClose={close}>
      <Form
        action="Add the type"
        onCancel={close}
        done={done}
        submit={(values) => post('event-type', { name: values('name'), description: values('description') })}
      >
        <Field name="name" label="Name" placeholder="invoice.paid" hint="Words with dots between them." isRequired />
        <Field name="description" label="Description" placeholder="An invoice was paid in full." isRequired />
      </Form>
    </Dialog>
  )
}
