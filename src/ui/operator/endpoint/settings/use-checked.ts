import { useEffect, useState } from 'preact/hooks'
import { post } from '../../../api/call.ts'
import type { Answer } from '../../../api/call.ts'
import { browserClock } from '../../../clock.ts'

const pauseMs = 300

/** What would be set, as the API takes it; or what is wrong before anybody has to be asked. */
export type Change = { readonly body: Readonly<Record<string, unknown>> } | { readonly problem: string }

/** Checks what is typed, after a short pause, by the rules of the server; `isChecked` says that this very text was found good. */
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

/** The sentence about what the server would refuse; null if nothing, or if it could not be asked. */
export async function problemWith(at: string, change: Change): Promise<string | null> {
  if ('problem' in change) return change.problem
  const answer = await post(`${at}/check`, change.body)
  return answer.kind === 'refused' ? refusalSentence(answer) : null
}

/** Without the name of the field, which stands above it. */
export function refusalSentence({ detail }: Extract<Answer<unknown>, { kind: 'refused' }>): string {
  return detail.replace(/^[\w.]+: /, '').replaceAll('`', '')
}
