import { useCallback, useEffect, useState } from 'preact/hooks'
import { apiUrl, get, problemOf } from '../api/call.ts'
import type { Query } from '../api/call.ts'
import { browserClock } from '../clock.ts'

/** What a page has loaded. The last value stays while a newer one is requested, so that nothing flickers. */
export interface Loaded<Value> {
  readonly value: Value | null
  /** The value belongs to an earlier request than the current one. */
  readonly isStale: boolean
  readonly problem: string | null
  readonly refresh: () => void
}

/** Calls an operation of the API, and again every `everyMs` while the tab is visible. */
export function useLoad<Value>(path: string, query: Query = {}, everyMs: number | null = null): Loaded<Value> {
  const url = apiUrl(path, query)
  const [read, setRead] = useState<{ url: string; value: Value | null; problem: string | null }>({
    url,
    value: null,
    problem: null,
  })
  const [asked, setAsked] = useState(0)
  const refresh = useCallback(() => setAsked((times) => times + 1), [])

  useEffect(() => {
    const leaving = new AbortController()
    let cancel = (): void => undefined
    let isFirst = true

    async function load(): Promise<void> {
      // A hidden tab loads once, and continues when it becomes visible.
      if (isFirst || !document.hidden) {
        isFirst = false
        const answer = await get<Value>(path, query, leaving.signal)
        if (leaving.signal.aborted) return
        // The value of another request does not answer this one.
        setRead((before) =>
          answer.kind === 'answered'
            ? { url, value: answer.value, problem: null }
            : { url, value: before.url === url ? before.value : null, problem: problemOf(answer) },
        )
      }
      if (everyMs !== null) cancel = browserClock.after(everyMs, () => void load())
    }

    void load()
    return () => {
      leaving.abort()
      cancel()
    }
  }, [url, everyMs, asked])

  return { value: read.value, isStale: read.url !== url, problem: read.problem, refresh }
}
