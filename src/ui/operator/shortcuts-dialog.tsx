import { shortcutsAreOpen, pages } from './shortcuts.ts'
import { isPortal } from '../state/session.ts'
import { Dialog } from '../parts/dialog.tsx'

const shortcuts: readonly (readonly [key: string, meaning: string])[] = [
  ['/', 'Search anything'],
  ['f', 'Filter this page'],
  ['j k', 'Next or previous row'],
  ['x', 'Select the row'],
  ['Enter', 'Open the row'],
  ['r', 'Retry now'],
  ['?', 'These shortcuts'],
  ['Esc', 'Close, or leave a field'],
]

/** What the keyboard can do. */
export function ShortcutsDialog() {
  if (!shortcutsAreOpen.value) return null
  const shown = [
    ...shortcuts,
    ...pages
      .filter(({ serverWide }) => !(isPortal() && serverWide === true))
      .map(({ key, name }) => [`g ${key}`, name] as const),
  ]
  return (
    <Dialog title="Shortcuts" onClose={() => (shortcutsAreOpen.value = false)}>
      <dl class="keys">
        {shown.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="actions end">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </Dialog>
  )
}
