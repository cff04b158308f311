import { useEffect, useState } from 'preact/hooks'
import { browserClock } from '../../clock.ts'
import { query, setQuery } from '../../state/router.ts'

interface QueryInputProps {
  /** The name of the value in the address. */
  readonly name: string
  readonly label: string
  readonly placeholder: string
  /** `search` is the field that the key f leads to; `line` is shown beside it; `field` shows its label. */
  readonly kind: 'search' | 'line' | 'field'
}

const pauseMs = 400

/** A field whose value is in the address. It is applied after a short pause, so that no keystroke is lost while the page is redrawn. */
export function QueryInput({ name, label, placeholder, kind }: QueryInputProps) {
  const given = query.value.get(name) ?? ''
  const [typed, setTyped] = useState(given)
  useEffect(() => {
    if (typed.trim() !== given) setTyped(given)
  }, [given])
  useEffect(() => {
    const text = typed.trim()
    if (text === given) return undefined
    return browserClock.after(pauseMs, () => setQuery({ [name]: text, iterator: null }, 'replace'))
  }, [typed])
  return (
    <label class={kind === 'search' ? 'field search' : 'field'}>
      <span class={kind === 'field' ? undefined : 'hidden'}>{label}</span>
      <input
        type="search"
        data-search={kind === 'search' ? '' : undefined}
        placeholder={placeholder}
        value={typed}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  )
}
