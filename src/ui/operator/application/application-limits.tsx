import { patch } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { Application, ApplicationOverview, Config } from '../../api/answers.ts'
import { Field, Form } from '../../parts/form/form.tsx'
import type { Values } from '../../parts/form/form.tsx'
import { Details, Panel } from '../../parts/page.tsx'
import { notify } from '../../state/notices.ts'
import { href } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { count } from '../../text/format.ts'

/** The name and limits of the customer. The rate limit is its own; quotas are set on the server, and the same for all. */
export function Limits({ application, refresh }: { application: ApplicationOverview; refresh: () => void }) {
  const config = useLoad<Config>('config')
  const { id, name, throttleRate, endpoints } = application
  function done(): void {
    notify('good', 'Saved.')
    refresh()
  }
  return (
    <Panel title="Name and limits">
      {canWrite() ? (
        <Form action="Save" submit={(values) => save(id, values)} done={done}>
          <Field name="name" label="Name" value={name} isRequired />
          <Field
            name="rate"
            label="Rate limit"
            kind="number"
            value={throttleRate?.toString() ?? ''}
            hint="Deliveries per second to all its endpoints together. Empty means no limit."
          />
        </Form>
      ) : (
        <Details details={[['Rate limit', throttleRate === null ? 'none' : `${count(throttleRate)} per second`]]} />
      )}
      <Quotas config={config.value} endpoints={endpoints} />
    </Panel>
  )
}

const quotas = [
  ['POSTHORN_ENDPOINTS_PER_APPLICATION', 'Endpoints'],
  ['POSTHORN_FILTER_SIZE_PER_APPLICATION', 'Filter characters'],
  ['POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION', 'Messages per second'],
] as const

function Quotas({ config, endpoints }: { config: Config | null; endpoints: number }) {
  const shown = quotas.flatMap(([env, label]): [string, string][] => {
    // The space is reserved before the figures arrive, so that nothing below moves.
    if (config === null) return [[label, '–']]
    const value = config.settings.find((setting) => setting.env === env)?.value
    if (typeof value !== 'number') return []
    const most = value === 0 ? 'no quota' : count(value)
    return [[label, env === 'POSTHORN_ENDPOINTS_PER_APPLICATION' ? `${count(endpoints)} of ${most}` : most]]
  })
  if (shown.length === 0) return null
  return (
    <>
      <h3>Quotas</h3>
      <Details details={shown} />
      <p class="note">
        Quotas are the same for all applications: <a href={href('settings')}>Settings</a> has them.
      </p>
    </>
  )
}

function save(id: string, values: Values): Promise<Answer<Application>> {
  const rate = values('rate')
  return patch(`app/${encodeURIComponent(id)}`, {
    name: values('name'),
    throttleRate: rate === '' ? null : Number(rate),
  })
}
