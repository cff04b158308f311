import { useEffect, useState } from 'preact/hooks'
import { browserClock } from '../clock.ts'

/** Searches for a text; empty if nothing is found, or if there is no answer. */
export type Search<Item> = (text: string, signal: AbortSignal) => Promise<readonly Item[]>

interface Finding<Item> {
  /** The results for the last answered text: they stay until the next answer, so that nothing flickers. */
  readonly items: readonly Item[]
  /** There is no answer for the current text yet. */
  readonly isBusy: boolean
}

// A shorter pause would send a request for every keystroke of a fast typist.
const pauseMs = 60

/** Searches while somebody types; does nothing while the text is null. */
export function useSearch<Item>(text: string | null, search: Search<Item>): Finding<Item> {
  const [answer, setAnswer] = useState<{ text: string | null; items: readonly Item[] }>({ text: null, items: [] })
  useEffect(() => {
    if (text === null) return undefined
    const leaving = new AbortController()
    const cancel = browserClock.after(text === '' ? 0 : pauseMs, () => {
      void search(text, leaving.signal).then((items) => {
        if (!leaving.signal.aborted) setAnswer({ text, items })
      })
    })
    return () => {
      cancel()
      leaving.abort()
    }
  }, [text])
  return { items: answer.items, isBusy: text !== null && answer.text !== text }
}
