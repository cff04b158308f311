import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Found } from '../../api/answers.ts'
import { Icon } from '../../parts/icons.tsx'
import { Option, moved } from '../../parts/form/option-list.tsx'
import { useSearch } from '../../state/use-search.ts'
import { counted } from '../../text/format.ts'
import { find } from '../search.ts'
import { openedPalette } from '../shortcuts.ts'
import { elsewhere, foundEntry, localEntries } from './entries.ts'
import type { Entry } from './entries.ts'

const kinds = ['application', 'endpoint', 'event-type', 'message', 'delivery'] as const

/** Finds anything, and does anything, from the keyboard. */
export function Palette() {
  const opening = openedPalette.value
  return opening === null ? null : <OpenPalette key={opening} opening={opening} />
}

function OpenPalette({ opening }: { opening: number }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [actionsOfPage] = useState(buttonsOfPage)
  const [text, setText] = useState('')
  const wanted = text.trim()
  const { items, isBusy } = useSearch<Found>(wanted === '' ? null : wanted, (each, signal) => find(each, kinds, signal))
  const found = wanted === '' ? [] : items.map(foundEntry)
  const entries = [...localEntries(text, actionsOfPage), ...found, ...elsewhere(text)]

  // Immediately: the next keystroke must not reach the page.
  useLayoutEffect(() => dialog.current?.showModal(), [])

  function closed(): void {
    if (openedPalette.value === opening) openedPalette.value = null
  }

  function run(entry: Entry): void {
    // Closed first: the focus returns to the page, and from there it goes where the entry leads.
    dialog.current?.close()
    closed()
    entry.run()
  }

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClose={closed}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <Finder
        text={text}
        type={setText}
        entries={entries}
        // Only the search in payloads is left, for those who find nothing else.
        isWaiting={isBusy && entries.length <= 1}
        isBusy={isBusy}
        run={run}
      />
    </dialog>
  )
}

interface FinderProps {
  readonly text: string
  readonly type: (text: string) => void
  readonly entries: readonly Entry[]
  /** Enter was pressed, and waits for the answer. */
  readonly isWaiting: boolean
  readonly isBusy: boolean
  readonly run: (entry: Entry) => void
}

function Finder({ text, type, entries, isWaiting, isBusy, run }: FinderProps) {
  const listId = useId()
  const [active, setActive] = useState(0)
  const [isEntered, setEntered] = useState(false)
  const chosen = entries[Math.min(active, entries.length - 1)]
  useEffect(() => {
    if (isEntered && !isWaiting && chosen !== undefined) run(chosen)
  }, [isEntered, isWaiting])

  function press(event: KeyboardEvent): void {
    const next = moved(event.key, active, entries.length)
    if (next !== null) setActive(next)
    else if (event.key === 'Enter') setEntered(true)
    else return
    event.preventDefault()
  }

  return (
    <>
      <div class="finder">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search pages, applications, endpoints, deliveries, messages, event types and actions"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={chosen === undefined ? undefined : `${listId}-${entries.indexOf(chosen)}`}
          placeholder="Search, or type a command"
          autocomplete="off"
          spellcheck={false}
          autoFocus
          maxLength={200}
          value={text}
          onInput={({ currentTarget }) => {
            type(currentTarget.value)
            setActive(0)
            setEntered(false)
          }}
          onKeyDown={press}
        />
        <kbd aria-hidden="true">Esc</kbd>
      </div>
      <Results id={listId} entries={entries} chosen={chosen} point={setActive} run={run} />
      <p class="hidden" role="status">
        {isBusy ? 'Searching' : counted(entries.length, 'result')}
      </p>
    </>
  )
}

interface ResultsProps {
  readonly id: string
  readonly entries: readonly Entry[]
  readonly chosen: Entry | undefined
  readonly point: (index: number) => void
  readonly run: (entry: Entry) => void
}

function Results({ id, entries, chosen, point, run }: ResultsProps) {
  const groups = [...new Set(entries.map(({ group }) => group))]
  return (
    <div class="results" id={id} role="listbox" aria-label="Results" tabIndex={-1}>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <h3 aria-hidden="true">{group}</h3>
          {entries.map(
            (entry, index) =>
              entry.group === group && (
                <Option
                  key={entry.key}
                  id={`${id}-${index}`}
                  isActive={entry === chosen}
                  point={() => point(index)}
                  pick={() => run(entry)}
                >
                  <span class="label">{entry.label}</span>
                  {entry.detail !== undefined && <span class="detail">{entry.detail}</span>}
                  {entry.shortcut !== undefined && <Keys shortcut={entry.shortcut} />}
                </Option>
              ),
          )}
        </div>
      ))}
    </div>
  )
}

function Keys({ shortcut }: { shortcut: string }) {
  return (
    <span class="keys-of" aria-hidden="true">
      {shortcut.split(' ').map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}

/** The buttons in the header of the open page, or beside its status. */
function buttonsOfPage(): HTMLButtonElement[] {
  return [
    ...document.querySelectorAll<HTMLButtonElement>(
      '.page > .head > .actions button:not(:disabled), .standing > .actions button:not(:disabled)',
    ),
  ]
}
