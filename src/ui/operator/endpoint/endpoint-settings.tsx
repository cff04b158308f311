import { patch, problemOf, remove } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { EndpointDetail } from '../../api/answers.ts'
import { go } from '../../state/router.ts'
import { notify } from '../../state/notices.ts'
import { ask } from '../../parts/dialog.tsx'
import { Field, Form, namesIn } from '../../parts/form/form.tsx'
import type { Values } from '../../parts/form/form.tsx'
import { Panel } from '../../parts/page.tsx'

/** What can be changed about an endpoint. Every attempt uses it as it then is. */
export function EndpointSettings({ endpoint, refresh }: { endpoint: EndpointDetail; refresh: () => void }) {
  const at = `app/${endpoint.applicationId}/endpoint/${endpoint.id}`

  async function submit(values: Values): Promise<Answer<unknown>> {
    const given = headersOf(values('headers'))
    if (given === null)
      return {
        kind: 'refused',
        status: 0,
        code: 'headers',
        detail: 'Each line of the headers must be like "X-Name: value".',
      }
    const filter = filterOf(values('filter'))
    if (filter === undefined)
      return {
        kind: 'refused',
        status: 0,
        code: 'filter',
        detail: 'The filter must be a JSON object, such as {"path": "total", "greater": 100}.',
      }
    const changed = await patch(at, {
      url: values('url'),
      description: values('description'),
      eventTypes: orNull(namesIn(values('types'))),
      channels: orNull(namesIn(values('channels'))),
      throttleRate: values('rate') === '' ? null : Number(values('rate')),
      policy: values('policy'),
      filter,
    })
    const headers = headersChange(endpoint.headers, given)
    return changed.kind === 'answered' && Object.keys(headers).length > 0
      ? patch(`${at}/headers`, { headers })
      : changed
  }

  function done(): void {
    notify('good', 'Saved. The next attempt uses it.')
    refresh()
  }

  return (
    <Panel title="Settings">
      <Form action="Save" submit={submit} done={done}>
        <Field name="url" label="URL" kind="url" value={endpoint.url} isRequired />
        <div class="grid">
          <Field
            name="types"
            label="Event types"
            value={endpoint.types?.join(', ') ?? ''}
            hint="With commas between them; empty means all."
          />
          <Field name="channels" label="Channels" value={endpoint.channels?.join(', ') ?? ''} hint="Empty means all." />
          <Field
            name="rate"
            label="Most per second"
            kind="number"
            value={endpoint.ratePerSecond?.toString() ?? ''}
            hint="Empty means no limit."
          />
          <Field
            name="policy"
            label="Retry policy"
            value={endpoint.policy}
            hint="A name from the settings page."
            isRequired
          />
        </div>
        <label class="field">
          <span>Filter</span>
          <textarea
            name="filter"
            rows={2}
            spellcheck={false}
            defaultValue={endpoint.filter === null ? '' : JSON.stringify(endpoint.filter)}
          />
          <small>JSON: what a payload must be like to be sent here. Empty means all.</small>
        </label>
        <label class="field">
          <span>Headers</span>
          <textarea
            name="headers"
            rows={3}
            spellcheck={false}
            defaultValue={linesOf(endpoint.headers)}
            placeholder="X-Name: value"
          />
          <small>
            One per line, sent with every attempt. Those that carry credentials are not shown, and stay as they are.
          </small>
        </label>
        <Field name="description" label="Description" value={endpoint.description} />
      </Form>
    </Panel>
  )
}

export function EndpointDangers({ endpoint }: { endpoint: EndpointDetail }) {
  async function drop(): Promise<void> {
    const sentence = 'Nothing more is sent to it, and what still waits ends dead, as gone. Its history stays.'
    if ((await ask({ title: 'Delete this endpoint?', sentence, action: 'Delete it', isDangerous: true })) === null)
      return
    const answer = await remove(`app/${endpoint.applicationId}/endpoint/${endpoint.id}`)
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    notify('good', 'Deleted.')
    go('endpoints')
  }
  return (
    <Panel title="Delete">
      <p class="muted">To stop it for a while, pause it instead.</p>
      <button type="button" class="button danger" onClick={() => void drop()}>
        Delete the endpoint …
      </button>
    </Panel>
  )
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function headersOf(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) return null
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim()
  }
  return headers
}

/** Only what differs, and null for what is gone: headers that are not shown must survive a change of the others. */
function headersChange(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const gone = Object.keys(before).filter((name) => !(name in after))
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value)
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...changed])
}

/** Null for no filter, undefined for one that cannot be read. */
function filterOf(text: string): object | null | undefined {
  if (text === '') return null
  try {
    const filter: unknown = JSON.parse(text)
    return typeof filter === 'object' && filter !== null ? filter : undefined
  } catch {
    return undefined
  }
}

function orNull(names: string[]): string[] | null {
  return names.length === 0 ? null : names
}
