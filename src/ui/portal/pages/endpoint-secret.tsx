import { useState } from 'preact/hooks'
import type { EndpointSecret as Secret } from '../../api/answers.ts'
import { get, post } from '../../api/call.ts'
import { notify } from '../../state/notices.ts'
import { canWrite } from '../../state/session.ts'
import { own } from '../api.ts'
import { Code } from '../parts/code.tsx'
import { problemText } from '../parts/loaded.tsx'
import { ask } from '../parts/question.tsx'
import { say } from '../settings.ts'

/** The signing secret of an endpoint: shown on request, and rotated if it has leaked. */
export function EndpointSecret({ endpointId }: { endpointId: string }) {
  const [secret, setSecret] = useState<string | null>(null)
  const path = own(`endpoint/${endpointId}/secret`)
  async function reveal(): Promise<void> {
    const answer = await get<Secret>(path)
    if (answer.kind !== 'answered') return notify('bad', problemText(answer))
    return setSecret(answer.value.key)
  }
  async function rotate(): Promise<void> {
    const question = { title: say('secret.rotate_title'), sentence: say('secret.rotate_sentence') }
    if (!(await ask({ ...question, action: say('secret.rotate') }))) return
    const answer = await post<Secret>(`${path}/rotate`)
    if (answer.kind !== 'answered') return notify('bad', problemText(answer))
    setSecret(answer.value.key)
    notify('good', say('secret.rotated'))
  }
  return (
    <section class="panel">
      <h2>{say('secret.title')}</h2>
      <p class="muted">{say(canWrite() ? 'secret.sentence' : 'secret.hidden')}</p>
      {secret !== null && <Code label={say('secret.label')} text={secret} />}
      {canWrite() && (
        <div class="actions">
          <button
            type="button"
            class="button small"
            onClick={() => (secret === null ? void reveal() : setSecret(null))}
          >
            {say(secret === null ? 'secret.reveal' : 'secret.hide')}
          </button>
          <button type="button" class="button small" onClick={() => void rotate()}>
            {say('secret.rotate')}
          </button>
        </div>
      )}
    </section>
  )
}
