import { bulk } from '../delivery/actions.ts'
import { countReplay, startReplay } from '../job/replay.ts'
import type { ReplayRange } from '../job/replay.ts'
import type { EndpointDetail } from '../../api/answers.ts'
import { browserClock } from '../../clock.ts'
import { Field, Form } from '../../parts/form/form.tsx'
import { Panel } from '../../parts/page.tsx'

/** After an outage: retries dead letters, or replays what the endpoint never got. */
export function EndpointRecovery({ endpoint }: { endpoint: EndpointDetail }) {
  let range: ReplayRange = { endpoint: endpoint.id, since: '', until: '' }
  // The count and the replay use the same range.
  function rangeSince(since: string): ReplayRange {
    range = {
      endpoint: endpoint.id,
      since: new Date(since).toISOString(),
      until: new Date(browserClock.now()).toISOString(),
    }
    return range
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
          <Form
            action="Replay …"
            submit={(values) => countReplay(rangeSince(values('since')))}
            done={({ matching }) => void startReplay(range, matching)}
          >
            <Field name="since" label="Since" kind="datetime-local" isRequired />
          </Form>
        </div>
      </div>
    </Panel>
  )
}
