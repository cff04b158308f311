import { signal } from '@preact/signals'
import { say } from '../settings.ts'
import { Dialog } from '../../parts/modal.tsx'
import { Prose } from '../../parts/time.tsx'

interface Question {
  readonly title: string
  readonly sentence: string
  /** The label of the button that does it. */
  readonly action: string
  readonly isDangerous?: boolean
}

const open = signal<{ readonly question: Question; readonly answer: (isYes: boolean) => void } | null>(null)

/** Asks before something is done. */
export function ask(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    open.value?.answer(false)
    open.value = { question, answer: resolve }
  })
}

export function Questions() {
  const asked = open.value
  if (asked === null) return null
  const { title, sentence, action, isDangerous = false } = asked.question
  function answer(isYes: boolean): void {
    // A dialog closes shortly after its answer; the next question may be open by then.
    if (open.value === asked) open.value = null
    asked?.answer(isYes)
  }
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <p>
        <Prose text={sentence} />
      </p>
      <div class="actions end">
        <button type="button" class="button" onClick={() => answer(false)}>
          {say('common.cancel')}
        </button>
        <button type="button" class={isDangerous ? 'button danger' : 'button primary'} onClick={() => answer(true)}>
          {action}
        </button>
      </div>
    </Dialog>
  )
}
