import { signal } from '@preact/signals'
import { Dialog } from './modal.tsx'
import { Prose } from './time.tsx'

export { Dialog }

interface Question {
  readonly title: string
  readonly sentence: string
  /** The label of the button that does it. */
  readonly action: string
  /** The label of the other button, if “Cancel” could be mistaken for the action. */
  readonly leave?: string
  readonly isDangerous?: boolean
  /** Also asks for a reason, which is recorded in the audit log. */
  readonly wantsReason?: boolean
}

export interface Reply {
  readonly reason: string | undefined
}

const open = signal<{ readonly question: Question; readonly answer: (reply: Reply | null) => void } | null>(null)

/** Asks for a confirmation; null if it is declined. */
export function ask(question: Question): Promise<Reply | null> {
  return new Promise((resolve) => {
    open.value?.answer(null)
    open.value = { question, answer: resolve }
  })
}

export function Questions() {
  const asked = open.value
  if (asked === null) return null
  const { title, sentence, action, leave = 'Cancel', isDangerous = false, wantsReason = false } = asked.question
  function answer(reply: Reply | null): void {
    // A dialog closes shortly after its answer; the next question may be open by then.
    if (open.value === asked) open.value = null
    asked?.answer(reply)
  }
  return (
    <Dialog title={title} onClose={() => answer(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget).get('reason')
          answer({ reason: typeof given === 'string' && given !== '' ? given : undefined })
        }}
      >
        <p>
          <Prose text={sentence} />
        </p>
        {wantsReason && (
          <label class="field">
            <span>
              Reason <span class="muted">(optional, kept in the audit log)</span>
            </span>
            <input name="reason" maxLength={200} autocomplete="off" />
          </label>
        )}
        <div class="actions end">
          <button type="button" class="button" onClick={() => answer(null)}>
            {leave}
          </button>
          <button type="submit" class={isDangerous ? 'button danger' : 'button primary'} autoFocus={!isDangerous}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
