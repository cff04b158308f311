import { useState } from 'preact/hooks'
import { get, post, problemOf } from '../../../api/call.ts'
import type { EndpointDetail } from '../../../api/answers.ts'
import { notify } from '../../../state/notices.ts'
import { canWrite } from '../../../state/session.ts'
import { Code } from '../../../parts/code.tsx'
import { ask } from '../../../parts/dialog.tsx'
import { Panel } from '../../../parts/page.tsx'
import { Ago, Until } from '../../../parts/time.tsx'

const day = 86_400

/** The signing secrets of an endpoint: revealed only on request, and rotated without an interruption. */
export function EndpointSecrets({ endpoint, refresh }: { endpoint: EndpointDetail; refresh: () => void }) {
  const [shown, setShown] = useState<string | null>(null)
  const at = `app/${endpoint.applicationId}/endpoint/${endpoint.id}/secret`

  async function reveal(): Promise<void> {
    const answer = await get<{ key: string }>(at)
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    setShown(answer.value.key)
  }

  async function rotate(): Promise<void> {
    const sentence =
      'A new secret is created. For 24 hours every attempt is signed with both, so the receiver can change over without missing any.'
    if ((await ask({ title: 'Create a new secret?', sentence, action: 'Rotate the secret' })) === null) return
    const answer = await post(`${at}/rotate`, { gracePeriodSeconds: day })
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    setShown(null)
    notify('good', 'Rotated. The old secret signs along for 24 hours.')
    refresh()
  }

  return (
    <Panel title="Secrets">
      <ul class="plain">
        {endpoint.secrets.map(({ id, createdAt, expiresAt }) => (
          <li key={id}>
            Created <Ago at={createdAt} />{' '}
            {expiresAt === null ? (
              <span class="tag">current</span>
            ) : (
              <span class="muted">
                {' '}
                expires <Until at={expiresAt} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {shown !== null && <Code label="The secret" text={shown} />}
      {canWrite() && (
        <div class="actions">
          <button type="button" class="button small" onClick={() => (shown === null ? void reveal() : setShown(null))}>
            {shown === null ? 'Reveal' : 'Hide'}
          </button>
          <button type="button" class="button small" onClick={() => void rotate()}>
            Rotate …
          </button>
        </div>
      )}
      {canWrite() && shown === null && <p class="muted">Revealing it is recorded in the audit log.</p>}
    </Panel>
  )
}
