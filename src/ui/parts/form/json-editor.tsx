import { useId, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { jsonFault, lineOf } from '../../text/json-problem.ts'

/** A message under an editor, and the place in the text that it is about. */
export interface Verdict {
  readonly tone: 'good' | 'warning' | 'bad' | 'idle'
  readonly says: string
  readonly position: number | null
}

interface JsonEditorProps {
  readonly label: string
  readonly name: string
  readonly text: string
  readonly change: (text: string) => void
  readonly verdict: Verdict
  readonly rows: number
}

const icons = { good: 'check', warning: 'broken', bad: 'broken', idle: 'dots' } as const

/** A plain field for JSON: Tab indents once somebody is typing, Format formats it, and a click on an error leads to its place. */
export function JsonEditor({ label, name, text, change, verdict, rows }: JsonEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  // Those who only pass through with the Tab key are not stopped.
  const isEditing = useRef(false)
  const [id, says] = [useId(), useId()]
  return (
    <div class="field editor json">
      <div class="head">
        <label for={id}>{label}</label>
        <button
          type="button"
          class="button small"
          disabled={jsonFault(text) !== null}
          aria-label={`Format the ${label.toLowerCase()}`}
          onClick={() => change(JSON.stringify(JSON.parse(text), null, 2))}
        >
          Format
        </button>
      </div>
      <textarea
        ref={area}
        id={id}
        name={name}
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        value={text}
        aria-invalid={verdict.tone === 'bad'}
        aria-describedby={says}
        onInput={(event) => {
          isEditing.current = true
          change(event.currentTarget.value)
        }}
        onPointerDown={() => (isEditing.current = true)}
        onBlur={() => (isEditing.current = false)}
        onKeyDown={(event) => isEditing.current && indent(event)}
      />
      <Said id={says} text={text} verdict={verdict} show={(position) => select(area.current, position)} />
    </div>
  )
}

interface SaidProps {
  readonly id: string
  readonly text: string
  readonly verdict: Verdict
  readonly show: (position: number) => void
}

function Said({ id, text, verdict: { tone, says, position }, show }: SaidProps) {
  return (
    <small class={tone}>
      <Icon name={icons[tone]} />
      <span>
        <span id={id} role="status">
          {says}
        </span>{' '}
        {position !== null && (
          <button type="button" class="bare link" onClick={() => show(position)}>
            Go to {lineOf(text, position)}
          </button>
        )}
      </span>
    </small>
  )
}

/** Shift+Tab, and Tab after Escape, lead out of the field as everywhere. */
function indent(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void {
  if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return
  event.preventDefault()
  const { currentTarget: area } = event
  const { value, selectionStart, selectionEnd } = area
  if (selectionStart === selectionEnd) return insert('  ')
  const from = value.lastIndexOf('\n', selectionStart - 1) + 1
  const lines = value.slice(from, selectionEnd).replaceAll(/^/gm, '  ')
  area.setSelectionRange(from, selectionEnd)
  insert(lines)
  area.setSelectionRange(from, from + lines.length)
}

function insert(text: string): void {
  // The only way to change a field so that the browser can still undo it.
  document.execCommand('insertText', false, text)
}

/** Moves the cursor to a place in the text, and shows it. */
function select(area: HTMLTextAreaElement | null, position: number): void {
  if (area === null) return
  const rest = area.value.slice(position)
  area.focus()
  area.setSelectionRange(position, position + Math.max(1, rest.search(/[\s,:]|$/)))
  // Browsers scroll to where somebody types, not to a selection.
  const line = area.value.slice(0, position).split('\n').length
  area.scrollTop = (line - 3) * Number.parseFloat(getComputedStyle(area).lineHeight)
}
