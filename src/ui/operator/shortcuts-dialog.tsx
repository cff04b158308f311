import { shortcutsAreOpen, pages } from './shortcuts.ts'
import { Dialog } from '../parts/dialog.tsx'

const shortcuts: readonly (readonly [key: string, meaning: string])[] = [
  ['/', 'Search or filter'],
  ['j k', 'Next or previous row'],
  ['x', 'Select the row'],
  ['Enter', 'Open the row'],
  ['r', 'Retry now'],
  ['?', 'This help'],
  ['Esc', 'Close, or leave a field'],
]

/** What the keyboard can do. */
export function ShortcutsDialog() {
  if (!shortcutsAreOpen.value) return null
  const shown = [...shortcuts, ...pages.map(({ key, name }) => [`g ${key}`, name] as const)]
  return (
    <Dialog title="Keys" onClose={() => (shortcutsAreOpen.value = false)}>
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
