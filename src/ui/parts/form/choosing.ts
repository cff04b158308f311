import { useEffect, useState } from 'preact/hooks'
import { useSearch } from '../../state/use-search.ts'
import type { Search } from '../../state/use-search.ts'
import { moved } from './option-list.tsx'

/** Something to choose. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly detail?: string
  /** What else it is known by: its id and uid. */
  readonly names?: readonly string[]
}

interface Asked {
  readonly value: string
  readonly change: (value: string) => void
  readonly choices: Search<Choice>
  readonly isFree?: boolean
  readonly isMany?: boolean
}

/** The state of a field, and the actions on it. */
export interface Choosing {
  readonly text: string
  readonly isOpen: boolean
  readonly isBusy: boolean
  /** The choice that Enter takes; −1 for none. */
  readonly active: number
  readonly choices: readonly Choice[]
  readonly type: (text: string) => void
  readonly open: () => void
  readonly leave: () => void
  readonly press: (event: KeyboardEvent) => void
  readonly point: (index: number) => void
  readonly pick: (choice: Choice) => void
}

/** Input that has not been applied yet. */
interface Draft {
  readonly typed: string | null
  readonly isOpen: boolean
  readonly pointed: number | null
  /** Enter was pressed, and waits for the results. */
  readonly isEntered: boolean
}

const settled: Draft = { typed: null, isOpen: false, pointed: null, isEntered: false }

/** Lets somebody choose among the results for a text; until then the value stays. */
export function useChoosing(asked: Asked): Choosing {
  const { value, change, choices: search, isMany = false } = asked
  const [draft, setDraft] = useState(settled)
  const shown = useLabel(asked)
  const text = draft.typed ?? shown.label
  const wanted = (isMany ? lastOf(text) : (draft.typed ?? '')).trim()
  const { items: choices, isBusy } = useSearch(draft.isOpen ? wanted : null, search)
  const active = Math.min(draft.pointed ?? firstOf(asked, wanted), choices.length - 1)

  function pick(choice: Choice): void {
    shown.learn(choice)
    change(isMany ? withLast(text, choice.value) : choice.value)
    setDraft(settled)
  }

  function leave(): void {
    const found = isBusy ? [] : choices
    const exact = found.find((choice) => isCalled(choice, draft.typed?.trim() ?? ''))
    if (draft.typed !== null && !isMany && exact !== undefined) return pick(exact)
    const taken = takenAsTyped(asked, draft, found)
    if (taken !== null && taken !== value) change(taken)
    setDraft(settled)
  }

  useEffect(() => {
    const choice = choices[active]
    if (!draft.isEntered || isBusy) return
    if (choice === undefined) leave()
    else pick(choice)
  }, [draft.isEntered, isBusy])

  return {
    text,
    isOpen: draft.isOpen,
    isBusy,
    active,
    choices,
    type(typed) {
      if (isMany) change(typed)
      setDraft({ ...settled, typed: isMany ? null : typed, isOpen: true })
    },
    open: () => setDraft({ ...draft, isOpen: true }),
    leave,
    press(event) {
      const next = pressed(event.key, draft, { active, length: choices.length })
      if (next === null) return
      // The key is not meant for the form or dialog around it.
      event.preventDefault()
      event.stopPropagation()
      setDraft(next)
    },
    point: (pointed) => setDraft({ ...draft, pointed }),
    pick,
  }
}

/** Nothing is preselected if the text itself can be the value, or if nothing was typed. */
function firstOf({ isFree = false, isMany = false }: Asked, wanted: string): number {
  return isFree || isMany || wanted === '' ? -1 : 0
}

/** The state of the field after a key; null if the key has no effect. */
function pressed(key: string, draft: Draft, { active, length }: { active: number; length: number }): Draft | null {
  if (!draft.isOpen) return key === 'ArrowDown' ? { ...draft, isOpen: true } : null
  const next = moved(key, active, length)
  if (next !== null) return { ...draft, pointed: next }
  if (key === 'Escape') return settled
  return key === 'Enter' ? { ...draft, isEntered: true } : null
}

/** The typed text, if it is accepted as a value: something new, or an id that the search could not find; null otherwise. */
function takenAsTyped(
  { isFree = false, isMany = false }: Asked,
  { typed }: Draft,
  found: readonly Choice[],
): string | null {
  if (typed === null || isMany) return null
  return isFree || typed.trim() === '' || found.length === 0 ? typed.trim() : null
}

/** The label of a value: known from the choice, else requested once. */
function useLabel({ value, choices: search, isMany = false }: Asked): {
  readonly label: string
  readonly learn: (choice: Choice) => void
} {
  const [known, learn] = useState<Choice | null>(null)
  const isKnown = known !== null && isCalled(known, value)
  useEffect(() => {
    if (value === '' || isMany || isKnown) return undefined
    const leaving = new AbortController()
    void search(value, leaving.signal).then((found) => {
      const own = found.find((choice) => isCalled(choice, value))
      if (own !== undefined && !leaving.signal.aborted) learn(own)
    })
    return () => leaving.abort()
  }, [value])
  return { label: isKnown && !isMany ? known.label : value, learn }
}

function isCalled({ value, label, names = [] }: Choice, text: string): boolean {
  return text !== '' && [value, label, ...names].includes(text)
}

function lastOf(text: string): string {
  return text.slice(text.lastIndexOf(',') + 1)
}

function withLast(text: string, value: string): string {
  const before = text.slice(0, text.lastIndexOf(',') + 1)
  return `${before}${before === '' ? '' : ' '}${value}, `
}
