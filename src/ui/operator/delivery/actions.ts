import { post, problemOf } from '../../api/call.ts'
import type { Delivery, Job } from '../../api/answers.ts'
import { count, counted } from '../../text/format.ts'
import { ask } from '../../parts/dialog.tsx'
import type { Reply } from '../../parts/dialog.tsx'
import { go, href } from '../../state/router.ts'
import { notify } from '../../state/notices.ts'

/** Sends a delivery again at once. A delivered one stays as it is: a new delivery of its message is created. */
export async function retryNow(delivery: Pick<Delivery, 'id' | 'status'>, done: () => void): Promise<void> {
  if (delivery.status === 'delivered') {
    const sentence =
      'It was delivered already. This creates a new delivery of the same message; the receiver sees the same webhook-id.'
    if ((await ask({ title: 'Send it once more?', sentence, action: 'Send again' })) === null) return
  }
  const answer = await post<Delivery>(`delivery/${delivery.id}/requeue`)
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  if (answer.value.id === delivery.id) notify('good', 'Queued again, with its full retry schedule.')
  else notify('good', 'A new delivery was created.', href(`deliveries/${answer.value.id}`))
  done()
}

export async function cancelDelivery(delivery: Pick<Delivery, 'id'>, done: () => void): Promise<void> {
  const sentence = 'It will not be sent. It becomes a dead letter with the reason cancelled, and can be retried later.'
  const reply = await ask({
    title: 'Cancel this delivery?',
    sentence,
    action: 'Cancel the delivery',
    leave: 'Keep it',
    isDangerous: true,
    wantsReason: true,
  })
  if (reply === null) return
  const answer = await post<Delivery>(`delivery/${delivery.id}/cancel`, reply)
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  notify('good', 'Cancelled.')
  done()
}

export interface BulkFilter {
  readonly ids?: readonly string[]
  readonly status?: string | readonly string[]
  readonly reason?: string
  readonly endpoint?: string
  readonly application?: string
  readonly eventType?: string
  readonly message?: string
  readonly since?: string
  readonly until?: string
}

/** Retries or cancels all that match: counts first, asks with the exact number, then shows the job. */
export async function bulk(action: 'requeue' | 'cancel', filters: readonly BulkFilter[]): Promise<void> {
  const counts = await Promise.all(
    filters.map((filter) => post<{ matching: number }>('job', { action, filter, dryRun: true })),
  )
  let matching = 0
  for (const answer of counts) {
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    matching += answer.value.matching
  }
  if (matching === 0) return notify('bad', 'Nothing matches any more: the list was out of date.')

  const reply = await askBulk(action, matching)
  if (reply === null) return
  const jobs = await Promise.all(filters.map((filter) => post<Job>('job', { action, filter, ...reply })))
  for (const answer of jobs) if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  const [first] = jobs
  if (first?.kind === 'answered') go(jobs.length === 1 ? `jobs/${first.value.id}` : 'jobs')
}

function askBulk(action: 'requeue' | 'cancel', matching: number): Promise<Reply | null> {
  const what = counted(matching, 'delivery')
  if (action === 'cancel') {
    const consequence = `${what} will not be sent. What is cancelled becomes a dead letter, which can be retried later.`
    return ask({
      title: `Cancel ${what}?`,
      sentence: consequence,
      action: `Cancel ${count(matching)}`,
      leave: matching === 1 ? 'Keep it' : 'Keep them',
      isDangerous: true,
      wantsReason: true,
    })
  }
  const sentence = `${what} ${matching === 1 ? 'is' : 'are'} queued again with the full retry schedule, within the usual rate for retries, so no endpoint is flooded.`
  return ask({ title: `Retry ${what} now?`, sentence, action: `Retry ${count(matching)} now`, wantsReason: true })
}
