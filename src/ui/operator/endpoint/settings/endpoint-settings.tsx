import { patch } from '../../../api/call.ts'
import type { Answer } from '../../../api/call.ts'
import type { Config, EndpointDetail } from '../../../api/answers.ts'
import { ask } from '../../../parts/dialog.tsx'
import { Form, namesIn } from '../../../parts/form/form.tsx'
import type { Values } from '../../../parts/form/form.tsx'
import { Details, Panel } from '../../../parts/page.tsx'
import { notify } from '../../../state/notices.ts'
import { canWrite } from '../../../state/session.ts'
import { useLoad } from '../../../state/use-load.ts'
import { count } from '../../../text/format.ts'
import { CheckedField } from './checked-field.tsx'
import { FilterField, filterIn, tryFilter } from './filter-field.tsx'
import { headersChange, linesOf } from './header-lines.ts'
import { TypesField, typesChange } from './types-field.tsx'
import type { Change } from './use-checked.ts'

interface SettingsProps {
  readonly endpoint: EndpointDetail
  readonly refresh: () => void
}

/** The settings of an endpoint. Every attempt uses the settings of its time. */
export function EndpointSettings({ endpoint, refresh }: SettingsProps) {
  if (!canWrite()) return <ShownSettings endpoint={endpoint} />
  const at = pathOf(endpoint)
  function done(saved: unknown): void {
    if (saved === kept) return
    notify('good', 'Saved. The next attempt uses it.')
    refresh()
  }
  return (
    <Form action="Save" submit={(values) => save(endpoint, values)} done={done}>
      <Panel title="Destination">
        <Destination endpoint={endpoint} at={at} />
      </Panel>
      <Panel title="What it gets">
        <Subscription endpoint={endpoint} at={at} />
      </Panel>
      <Panel title="How it is sent">
        <div class="halves">
          <CheckedField
            name="rate"
            label="Rate limit"
            kind="number"
            value={endpoint.ratePerSecond?.toString() ?? ''}
            hint="Requests per second. Empty means no limit."
            at={at}
            changeOf={(text) => ({ body: { throttleRate: text === '' ? null : Number(text) } })}
          />
          <PolicyField policy={endpoint.policy} />
        </div>
      </Panel>
    </Form>
  )
}

/** The form is reset when the settings have changed on the server, not on every refresh. */
export function settingsKey(endpoint: EndpointDetail): string {
  const { url, description, types, channels, ratePerSecond, policy, headers, filter } = endpoint
  return JSON.stringify([url, description, types, channels, ratePerSecond, policy, headers, filter])
}

interface GroupProps {
  readonly endpoint: EndpointDetail
  readonly at: string
}

function Destination({ endpoint, at }: GroupProps) {
  return (
    <>
      <CheckedField
        name="url"
        label="URL"
        kind="url"
        value={endpoint.url}
        isRequired
        at={at}
        changeOf={(url) => ({ body: { url } })}
      />
      <CheckedField
        name="description"
        label="Description"
        value={endpoint.description}
        at={at}
        changeOf={(description) => ({ body: { description } })}
      />
      <CheckedField
        name="headers"
        label="Headers"
        rows={3}
        value={linesOf(endpoint.headers)}
        placeholder="X-Name: value"
        hint="One per line, sent with every attempt. Values are not shown: a line that you leave unchanged keeps its value."
        at={at}
        changeOf={(text) => headersAsChange(endpoint.headers, text)}
      />
    </>
  )
}

function Subscription({ endpoint, at }: GroupProps) {
  const { types, channels } = endpoint
  return (
    <>
      <div class="halves">
        <TypesField types={types} at={at} />
        <CheckedField
          name="channels"
          label="Channels"
          value={channels?.join(', ') ?? ''}
          hint="Separated by commas; empty means all."
          at={at}
          changeOf={(text) => ({ body: { channels: orNull(namesIn(text)) } })}
        />
      </div>
      <FilterField endpoint={endpoint} at={at} />
    </>
  )
}

function PolicyField({ policy }: { policy: string }) {
  const { value } = useLoad<Config>('config')
  const names = value?.policies.map(({ name }) => name) ?? []
  return (
    <label class="field">
      <span>Retry policy</span>
      <select name="policy">
        {[...new Set([policy, ...names])].map((name) => (
          <option key={name} selected={name === policy}>
            {name}
          </option>
        ))}
      </select>
      <small>How often and for how long a failed delivery is retried.</small>
    </label>
  )
}

/** For those with read-only access. */
function ShownSettings({ endpoint }: { endpoint: EndpointDetail }) {
  const { url, description, headers, types, channels, filter, ratePerSecond, policy } = endpoint
  return (
    <Panel title="Settings">
      <Details
        details={[
          ['URL', url],
          ['Description', description === '' ? 'none' : description],
          ['Headers', headers.length === 0 ? 'none' : headers.join(', ')],
          ['Event types', types?.join(', ') ?? 'all'],
          ['Channels', channels?.join(', ') ?? 'all'],
          ['Payload filter', filter === null ? 'none' : <code>{JSON.stringify(filter)}</code>],
          ['Rate limit', ratePerSecond === null ? 'none' : `${count(ratePerSecond)} per second`],
          ['Retry policy', policy],
        ]}
      />
    </Panel>
  )
}

/** The result of a save that was not confirmed. */
const kept = Symbol('kept')

async function save(endpoint: EndpointDetail, values: Values): Promise<Answer<unknown>> {
  const headers = headersChange(endpoint.headers, values('headers'))
  if (headers === null) return refused('headers', headersForm)
  const filter = filterIn(values('filter'))
  if (filter === undefined)
    return refused('filter', 'The filter must be a JSON object, such as {"path": "total", "greater": 100}.')
  if (!(await isMeant(endpoint, filter))) return { kind: 'answered', value: kept }

  const at = pathOf(endpoint)
  const changed = await patch(at, {
    url: values('url'),
    description: values('description'),
    ...typesChange(values('types')),
    channels: orNull(namesIn(values('channels'))),
    throttleRate: values('rate') === '' ? null : Number(values('rate')),
    ...(values('policy') === '' ? {} : { policy: values('policy') }),
    filter,
  })
  return changed.kind === 'answered' && Object.keys(headers).length > 0 ? patch(`${at}/headers`, { headers }) : changed
}

/** Asks for confirmation if a new filter matches none of the recent messages: that is usually a mistake. */
async function isMeant({ applicationId, filter: before }: EndpointDetail, filter: object | null): Promise<boolean> {
  if (filter === null || JSON.stringify(filter) === JSON.stringify(before)) return true
  const trial = await tryFilter(applicationId, filter)
  if (trial === null || trial.tried === 0 || trial.matching > 0) return true
  const reply = await ask({
    title: 'Save a filter that matches nothing?',
    sentence: `None of the last ${count(trial.tried)} messages of this application match it, so none of them would have been sent here.`,
    action: 'Save it anyway',
  })
  return reply !== null
}

const headersForm = 'Each line of the headers must be like "X-Name: value".'

function headersAsChange(before: readonly string[], text: string): Change {
  const headers = headersChange(before, text)
  return headers === null ? { problem: headersForm } : { body: { headers } }
}

function pathOf({ applicationId, id }: EndpointDetail): string {
  return `app/${applicationId}/endpoint/${id}`
}

/** An error in the form of the server's own. */
function refused(code: string, detail: string): Answer<unknown> {
  return { kind: 'refused', status: 0, code, detail }
}

function orNull(names: string[]): string[] | null {
  return names.length === 0 ? null : names
}
