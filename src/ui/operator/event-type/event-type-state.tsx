import type { EventType } from '../../api/answers.ts'
import { State } from '../../parts/status.tsx'

/** Whether customers see a type, and whether they should use it; the usual state is muted. */
export function TypeState({ type: { archived, deprecated } }: { type: Pick<EventType, 'archived' | 'deprecated'> }) {
  if (!archived && !deprecated) return <span class="muted">current</span>
  return (
    <span class="states">
      {archived && <State tone="held" icon="stop" word="archived" />}
      {deprecated && <State tone="warning" icon="broken" word="deprecated" />}
    </span>
  )
}
