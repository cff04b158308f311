import { patch, problemOf, remove } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { EndpointDetail } from '../../api/answers.ts'
import { go } from '../../state/router.ts'
import { notify } from '../../state/notices.ts'
import { ask } from '../../parts/dialog.tsx'
import { Field, Form, namesIn } from '../../parts/form/form.tsx'
import type { Values } from '../../parts/form/form.tsx'
import { ComboboxField } from '../../parts/form/combobox.tsx'
import { eventTypeChoices, policyChoices } from '../search.ts'
import { Panel } from '../../parts/page.tsx'

/** What can be changed about an endpoint. Every attempt uses it as it then is. */
export function EndpointSettings({ endpoint, refresh }: { endpoint: EndpointDetail; refresh: () => void }) {
  function done(): void {
    notify('good', 'Saved. The next attempt uses it.')
    refresh()
  }

  return (
    <Panel title="Settings">
      <Form action="Save" submit={(values) => save(endpoint, values)} done={done}>
        <Field name="url" label="URL" kind="url" value={endpoint.url} isRequired />
        <Choices endpoint={endpoint} />
        <FilterField filter={endpoint.filter} />
        <HeadersField headers={endpoint.headers} />
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

/** What it wants, how fast, and how often again. */
function Choices({ endpoint: { types, channels, ratePerSecond, policy } }: { endpoint: EndpointDetail }) {
  return (
    <div class="grid">
      <ComboboxField
        name="types"
        label="Event types"
        choices={eventTypeChoices}
        isMany
        value={types?.join(', ') ?? ''}
        hint="With commas between them; empty means all."
      />
      <Field name="channels" label="Channels" value={channels?.join(', ') ?? ''} hint="Empty means all." />
      <Field
        name="rate"
        label="Rate limit per second"
        kind="number"
        value={ratePerSecond?.toString() ?? ''}
        hint="Empty means no limit."
      />
      <ComboboxField name="policy" label="Retry policy" value={policy} choices={policyChoices} isRequired />
    </div>
  )
}

function FilterField({ filter }: Pick<EndpointDetail, 'filter'>) {
  return (
    <label class="field">
      <span>Filter</span>
      <textarea
        name="filter"
        rows={2}
        spellcheck={false}
        defaultValue={filter === null ? '' : JSON.stringify(filter)}
      />
      <small>JSON: what a payload must be like to be sent here. Empty means all.</small>
    </label>
  )
}

function HeadersField({ headers }: Pick<EndpointDetail, 'headers'>) {
  return (
    <label class="field">
      <span>Headers</span>
      <textarea
        name="headers"
        rows={3}
        spellcheck={false}
        defaultValue={linesOf(headers)}
        placeholder="X-Name: value"
      />
      <small>
        One per line, sent with every attempt. Values are not shown: a line that is left as it is keeps its value.
      </small>
    </label>
  )
}

/** Stands for a value that is not shown. No header can have it: it is not of ASCII. */
const hidden = '••••••'

function linesOf(names: readonly string[]): string {
  return names.map((name) => `${name}: ${hidden}`).join('\n')
}

async function save(endpoint: EndpointDetail, values: Values): Promise<Answer<unknown>> {
  const given = headersOf(values('headers'))
  if (given === null) return refused('headers', 'Each line of the headers must be like "X-Name: value".')
  const filter = filterOf(values('filter'))
  if (filter === undefined)
    return refused('filter', 'The filter must be a JSON object, such as {"path": "total", "greater": 100}.')

  const at = `app/${endpoint.applicationId}/endpoint/${endpoint.id}`
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
  return changed.kind === 'answered' && Object.keys(headers).length > 0 ? patch(`${at}/headers`, { headers }) : changed
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

/** As the server would refuse it. */
function refused(code: string, detail: string): Answer<unknown> {
  return { kind: 'refused', status: 0, code, detail }
}

function orNull(names: string[]): string[] | null {
  return names.length === 0 ? null : names
}

/** Only what was given, and null for what is gone: a header whose value is still hidden stays as it is. */
function headersChange(
  before: readonly string[],
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const gone = before.filter((name) => !(name in after))
  const changed = Object.entries(after).filter(([, value]) => value !== hidden)
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...changed])
}
