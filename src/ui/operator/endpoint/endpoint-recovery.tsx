import { post } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import { bulk } from '../delivery/actions.ts'
import type { EndpointDetail, Job } from '../../api/answers.ts'
import { go } from '../../state/router.ts'
import { Field, Form } from '../../parts/form/form.tsx'
import type { Values } from '../../parts/form/form.tsx'
import { Panel } from '../../parts/page.tsx'

/** After an outage: send again what died, or what the endpoint never got. */
export function EndpointRecovery({ endpoint }: { endpoint: EndpointDetail }) {
  function replay(values: Values): Promise<Answer<Job>> {
    const since = new Date(values('since')).toISOString()
    return post(`app/${endpoint.applicationId}/endpoint/${endpoint.id}/replay`, { since })
  }

  return (
    <Panel title="After an outage">
      <div class="two">
        <div>
          <h3>Recover</h3>
          <p class="muted">Retries every dead letter of this endpoint, with the full schedule again.</p>
          <button
            type="button"
            class="button"
            onClick={() => void bulk('requeue', [{ status: 'dead', endpoint: endpoint.id }])}
          >
            Retry its dead letters …
          </button>
        </div>
        <div>
          <h3>Replay</h3>
          <p class="muted">
            Sends the messages since a time that this endpoint never got, for example while it was disabled.
          </p>
          <Form action="Replay" submit={replay} done={({ id }) => go(`jobs/${id}`)}>
            <Field name="since" label="Since" kind="datetime-local" isRequired />
          </Form>
        </div>
      </div>
    </Panel>
  )
}
