import { useState } from 'preact/hooks'
import { post, problemOf } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { ApplicationOverview, Erasable, Job } from '../../api/answers.ts'
import { Dialog } from '../../parts/modal.tsx'
import { Panel } from '../../parts/page.tsx'
import { notify } from '../../state/notices.ts'
import { go } from '../../state/router.ts'
import { counted } from '../../text/format.ts'
import { customerName } from './application-health.ts'
import { Refusal } from '../../parts/refusal.tsx'

type Erased = Pick<ApplicationOverview, 'id' | 'uid' | 'name'>

// The server counts no further.
const mostCounted = 1_000_000

/** Erases a customer: shows the exact numbers first, and asks for its name to be typed. */
export function Erase({ application }: { application: Erased }) {
  const [found, setFound] = useState<Erasable | null>(null)
  async function count(): Promise<void> {
    const answer = await post<Erasable>(eraseOf(application), { dryRun: true })
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    setFound(answer.value)
  }
  return (
    <Panel title="Erase">
      <p class="muted">Deletes the application and erases all of its data.</p>
      <button type="button" class="button danger" onClick={() => void count()}>
        Erase the application …
      </button>
      {found !== null && <EraseDialog application={application} found={found} close={() => setFound(null)} />}
    </Panel>
  )
}

interface EraseDialogProps {
  readonly application: Erased
  readonly found: Erasable
  readonly close: () => void
}

function EraseDialog({ application, found, close }: EraseDialogProps) {
  const name = customerName(application)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function erase(reason: string): Promise<void> {
    setBusy(true)
    const answer: Answer<Job> = await post(eraseOf(application), reason === '' ? {} : { reason })
    setBusy(false)
    if (answer.kind !== 'answered') return setProblem(problemOf(answer))
    go(`jobs/${answer.value.id}`)
  }

  return (
    <Dialog title={`Erase ${name}?`} onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          const reason = new FormData(event.currentTarget).get('reason')
          if (typed === name) void erase(typeof reason === 'string' ? reason : '')
        }}
      >
        <Consequences found={found} />
        <Confirmation name={name} change={setTyped} />
        <Refusal problem={problem} />
        <div class="actions end">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={isBusy || typed !== name}>
            Erase for good
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function Confirmation({ name, change }: { name: string; change: (typed: string) => void }) {
  return (
    <>
      <label class="field">
        <span>
          Type <strong>{name}</strong> to confirm
        </span>
        <input autocomplete="off" spellcheck={false} onInput={(event) => change(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>
          Reason <span class="muted">(optional, kept in the audit log)</span>
        </span>
        <input name="reason" maxLength={200} autocomplete="off" />
      </label>
    </>
  )
}

function Consequences({ found: { endpoints, messages, deliveries } }: { found: Erasable }) {
  return (
    <>
      <p>This cannot be undone. Erased for good are:</p>
      <ul class="erased">
        <li>{what(endpoints, 'endpoint')}, with their secrets, headers and figures</li>
        <li>{what(messages, 'message')}, with their payloads</li>
        <li>{what(deliveries, 'delivery')}, with every attempt and response; what still waits is not sent</li>
        <li>its API keys and portal links, which stop working at once</li>
      </ul>
      <p class="muted">The audit log stays. A job does the work; you see how far it is on the next page.</p>
    </>
  )
}

function what(value: number, noun: string): string {
  return counted(value, noun, value >= mostCounted)
}

function eraseOf({ id }: Erased): string {
  return `app/${encodeURIComponent(id)}/erase`
}
