import { useEffect, useState } from 'preact/hooks'
import { post } from '../../../api/call.ts'
import type { Answer } from '../../../api/call.ts'
import { browserClock } from '../../../clock.ts'

const pauseMs = 300

/** The change as the API takes it, or an error that needs no request. */
export type Change = { readonly body: Readonly<Record<string, unknown>> } | { readonly problem: string }

/** Lets the server check what is typed, after a short pause; `isChecked` says that exactly this text is valid. */
export function useChecked(at: string, changeOf: (text: string) => Change) {
  const [typed, type] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [checked, setChecked] = useState<string | null>(null)

  useEffect(() => {
    if (typed === null) return undefined
    let isOver = false
    const cancel = browserClock.after(pauseMs, () => void check(typed))
    async function check(text: string): Promise<void> {
      const found = await problemWith(at, changeOf(text.trim()))
      if (isOver) return
      setProblem(found)
      setChecked(found === null ? text : null)
    }
    return () => {
      isOver = true
      cancel()
    }
  }, [typed])

  return { type, problem, isChecked: typed !== null && checked === typed }
}

/** Why the server would refuse the value; null if it would not, or did not answer. */
export async function problemWith(at: string, change: Change): Promise<string | null> {
  if ('problem' in change) return change.problem
  const answer = await post(`${at}/check`, change.body)
  return answer.kind === 'refused' ? refusalSentence(answer) : null
}

/** Without the name of the field, which is shown above it. */
export function refusalSentence({ detail }: Extract<Answer<unknown>, { kind: 'refused' }>): string {
  return detail.replace(/^[\w.]+: /, '').replaceAll('`', '')
}
