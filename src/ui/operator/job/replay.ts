import { post, problemOf } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { Job } from '../../api/answers.ts'
import { ask } from '../../parts/dialog.tsx'
import { notify } from '../../state/notices.ts'
import { go } from '../../state/router.ts'
import { counted } from '../../text/format.ts'

export interface ReplayRange {
  readonly endpoint: string
  readonly since: string
  readonly until: string
}

/** Exactly how many deliveries a replay would make now. */
export function countReplay(filter: ReplayRange): Promise<Answer<{ matching: number }>> {
  return post('job', { action: 'replay', filter, dryRun: true })
}

/** Asks with the number that was counted, then starts the job and shows it. */
export async function startReplay(filter: ReplayRange, matching: number): Promise<void> {
  if (matching === 0)
    return notify('good', 'Nothing is missing: this endpoint got every message of that time it wants.')
  const deliveries = counted(matching, 'delivery')
  const reply = await ask({
    title: `Replay ${deliveries}?`,
    sentence: `This endpoint never got ${counted(matching, 'message')} sent after ${filter.since} that it wants. Each becomes a new delivery, and they leave at the usual pace for retries, so the endpoint is not flooded.`,
    action: `Replay ${deliveries}`,
    wantsReason: true,
  })
  if (reply === null) return
  const answer = await post<Job>('job', { action: 'replay', filter, ...reply })
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  go(`jobs/${answer.value.id}`)
}
