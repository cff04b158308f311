import { pages, paletteKey, shortcutsAreOpen } from './shortcuts.ts'
import { Dialog } from '../parts/modal.tsx'

type Shortcut = readonly [keys: string, meaning: string]

const anywhere: readonly Shortcut[] = [
  ['/', 'Search anything'],
  [paletteKey, 'Search, also while typing'],
  ['f', 'Filter this page'],
  ['?', 'These shortcuts'],
  ['Esc', 'Close, or leave a field'],
]

const inLists: readonly Shortcut[] = [
  ['j k', 'Next or previous row'],
  ['x', 'Select the row'],
  ['Enter', 'Open the row'],
  ['r', 'Retry now'],
]

const whileChoosing: readonly Shortcut[] = [
  ['↑ ↓', 'Next or previous choice'],
  ['Enter', 'Take the choice'],
]

/** All keyboard shortcuts. */
export function ShortcutsDialog() {
  if (!shortcutsAreOpen.value) return null
  const toPages = pages.map(({ key, name }) => [`g ${key}`, name] as const)
  return (
    <Dialog title="Shortcuts" onClose={() => (shortcutsAreOpen.value = false)}>
      <div class="keyboard">
        <Group name="Anywhere" shortcuts={anywhere} />
        <Group name="Go to" shortcuts={toPages} />
        <Group name="In lists" shortcuts={inLists} />
        <Group name="While choosing" shortcuts={whileChoosing} />
      </div>
      <form method="dialog" class="actions end">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </Dialog>
  )
}

function Group({ name, shortcuts }: { name: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3>{name}</h3>
      <dl class="keys">
        {shortcuts.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
