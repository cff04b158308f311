import type { EventType, List } from '../../api/answers.ts'
import { query } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { exampleOf } from '../../text/schema-example.ts'
import { newestSchema } from '../../text/schema-versions.ts'
import { Code } from '../parts/code.tsx'
import { Empty, Pager, Show } from '../parts/loaded.tsx'
import { Page, portalHref } from '../parts/page.tsx'
import { say } from '../settings.ts'

const pageSize = 50

/** The events that the customer's endpoints can get, with the schema of each payload. */
export function Catalogue() {
  const loaded = useLoad<List<EventType>>('event-type', {
    iterator: query.value.get('iterator'),
    limit: pageSize,
    with_content: 'true',
  })
  return (
    <Page title={say('events.title')}>
      <Show loaded={loaded}>
        {(list) => (
          <>
            {list.data.length === 0 ? (
              <Empty title={say('events.empty')}>
                <p>{say('events.empty_hint')}</p>
              </Empty>
            ) : (
              <ul class="plain">
                {list.data.map((type) => (
                  <Event key={type.name} type={type} />
                ))}
              </ul>
            )}
            <Pager list={list} />
          </>
        )}
      </Show>
    </Page>
  )
}

function Event({ type }: { type: EventType }) {
  const { name, description, deprecated, schemas } = type
  const schema = newestSchema(schemas)
  return (
    <li class="panel">
      <div class="head">
        <h2>
          <code>{name}</code> {deprecated && <span class="tag">{say('events.deprecated')}</span>}
        </h2>
        {canWrite() && (
          <a class="button small" href={portalHref(`test?event=${encodeURIComponent(name)}`)}>
            {say('events.test')} <span class="hidden">{name}</span>
          </a>
        )}
      </div>
      <p>{description}</p>
      {schema === undefined ? (
        <p class="muted">{say('events.no_schema')}</p>
      ) : (
        <details>
          <summary>{say('events.details')}</summary>
          <div class="two">
            <div>
              <h3>{say('events.example')}</h3>
              <Code label={say('events.example_of', { event: name })} text={jsonOf(exampleOf(schema))} />
            </div>
            <div>
              <h3>{say('events.schema')}</h3>
              <Code label={say('events.schema_of', { event: name })} text={jsonOf(schema)} />
            </div>
          </div>
        </details>
      )}
    </li>
  )
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
