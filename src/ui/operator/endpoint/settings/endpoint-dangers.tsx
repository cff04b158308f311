import { problemOf, remove } from '../../../api/call.ts'
import type { EndpointDetail } from '../../../api/answers.ts'
import { ask } from '../../../parts/dialog.tsx'
import { Panel } from '../../../parts/page.tsx'
import { go } from '../../../state/router.ts'
import { notify } from '../../../state/notices.ts'

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
