import { useEffect, useState } from 'preact/hooks'
import { browserClock } from '../clock.ts'

/** Asks for what a text finds; empty if there is nothing, or if nobody answers. */
export type Search<Item> = (text: string, signal: AbortSignal) => Promise<readonly Item[]>

interface Finding<Item> {
  /** Of the last text that was answered: they stay until the next answer, so that nothing flickers. */
  readonly items: readonly Item[]
  /** The text that is given was not answered yet. */
  readonly isBusy: boolean
}

// Shorter than the time between two keystrokes of a fast typist would ask once for each of them.
const pauseMs = 60

/** Searches while somebody types; nothing while the text is null. */
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
