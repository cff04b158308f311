import { patch, problemOf, remove } from '../../api/call.ts'
import type { EventType } from '../../api/answers.ts'
import { ask } from '../../parts/dialog.tsx'
import { notify } from '../../state/notices.ts'
import { go } from '../../state/router.ts'

/** Asks, then hides a type from customers, or shows it to them again. */
export async function setArchived(type: EventType, archived: boolean, keep: (type: EventType) => void): Promise<void> {
  const question = archived
    ? {
        title: `Archive ${type.name}?`,
        sentence:
          'Customers no longer see it in their catalogue, and the palette does not find it. Messages of this type are still accepted and delivered.',
        action: 'Archive it',
      }
    : {
        title: `Unarchive ${type.name}?`,
        sentence: 'Customers see it in their catalogue again.',
        action: 'Unarchive it',
      }
  if ((await ask(question)) === null) return
  const answer = await patch<EventType>(pathOf(type.name), { archived })
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  keep(answer.value)
  notify('good', archived ? 'Archived.' : 'Unarchived.')
}

export async function deleteType({ name }: EventType): Promise<void> {
  const sentence =
    'Its description and every version of its schema are deleted for good. Messages of this type are still accepted and delivered, whatever their payload is.'
  if ((await ask({ title: `Delete ${name}?`, sentence, action: 'Delete it', isDangerous: true })) === null) return
  const answer = await remove(`${pathOf(name)}?expunge=true`)
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  notify('good', 'Deleted.')
  go('event-types')
}

export function pathOf(name: string): string {
  return `event-type/${encodeURIComponent(name)}`
}
