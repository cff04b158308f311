import { post, problemOf, remove } from '../../api/call.ts'
import type { List, OpenSession } from '../../api/answers.ts'
import { Show } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/page.tsx'
import { AccessTable } from './access-table.tsx'
import type { AccessRow } from './access-table.tsx'
import { ask } from '../../parts/dialog.tsx'
import { accessLabel } from '../../text/labels.ts'
import { notify } from '../../state/notices.ts'
import { session, sessionExpired } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'

/** The browsers that are signed in, and how to sign them out from here. */
export function Sessions() {
  const loaded = useLoad<List<OpenSession>>('session/list', { limit: 100 })

  async function end({ id, current }: OpenSession): Promise<void> {
    const answer = await remove(`session/${id}`)
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    if (current) return left()
    notify('good', 'Signed out.')
    loaded.refresh()
  }

  const everywhere = session.value?.dev !== true && (
    <button type="button" class="button small" onClick={() => void signOutEverywhere()}>
      Sign out everywhere
    </button>
  )
  return (
    <Panel title="Sessions" actions={everywhere}>
      <Show loaded={loaded} lines={2}>
        {(list) =>
          list.data.length === 0 ? (
            <p class="muted">No browser is signed in.</p>
          ) : (
            <AccessTable
              caption="Sessions"
              nameHead="Key"
              sinceHead="Signed in"
              canAct
              rows={list.data.map((each) => rowOf(each, () => void end(each)))}
            />
          )
        }
      </Show>
    </Panel>
  )
}

async function signOutEverywhere(): Promise<void> {
  const question = {
    title: 'Sign out everywhere?',
    sentence: 'Every browser that signed in with your key is signed out, this one too. The key itself stays valid.',
    action: 'Sign out everywhere',
    isDangerous: true,
  }
  if ((await ask(question)) === null) return
  const answer = await post('session/sign-out-everywhere')
  if (answer.kind === 'answered') left()
  else notify('bad', problemOf(answer))
}

/** This browser no longer has a session, and its user knows why. */
function left(): void {
  session.value = null
  sessionExpired.value = false
}

function rowOf(open: OpenSession, end: () => void): AccessRow {
  const { id, name, access, appId, from, createdAt, expiresAt, current } = open
  return {
    id,
    name: (
      <>
        {name} {current && <span class="tag">this browser</span>}
      </>
    ),
    under: `${from === null ? '' : `from ${from}, `}${accessLabel(access)} to ${appId ?? 'all applications'}`,
    createdAt,
    expiresAt,
    action: (
      <button type="button" class="button small" aria-label={`Sign out ${name}`} onClick={end}>
        Sign out
      </button>
    ),
  }
}
