import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** A modal dialog; the browser keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  )
}

interface Question {
  readonly title: string
  readonly sentence: string
  readonly action: string
  readonly isDangerous: boolean
  /** Asks for a reason, which the audit log keeps. */
  readonly answer: (reply: Reply | null) => void
}

export interface Reply {
  readonly reason: string | undefined
}

const question = signal<Question | null>(null)

/** Asks before something is done; null if the person would rather not. */
export function ask(title: string, sentence: string, action: string, isDangerous = false): Promise<Reply | null> {
  return new Promise((resolve) => {
    question.value?.answer(null)
    question.value = { title, sentence, action, isDangerous, answer: resolve }
  })
}

export function Questions() {
  const asked = question.value
  if (asked === null) return null
  function answer(reply: Reply | null): void {
    question.value = null
    asked?.answer(reply)
  }
  return (
    <Dialog title={asked.title} onClose={() => answer(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget).get('reason')
          answer({ reason: typeof given === 'string' && given !== '' ? given : undefined })
        }}
      >
        <p>{asked.sentence}</p>
        <label class="field">
          <span>
            Reason <span class="muted">(optional, kept in the audit log)</span>
          </span>
          <input name="reason" maxLength={200} autocomplete="off" />
        </label>
        <div class="actions end">
          <button type="button" class="button" onClick={() => answer(null)}>
            Go back
          </button>
          <button type="submit" class={asked.isDangerous ? 'button danger' : 'button primary'} autoFocus>
            {asked.action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
