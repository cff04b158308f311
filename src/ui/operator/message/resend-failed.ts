import { post, problemOf } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { Job } from '../../api/answers.ts'
import { ask } from '../../parts/dialog.tsx'
import { notify } from '../../state/notices.ts'
import { href } from '../../state/router.ts'
import { count, counted } from '../../text/format.ts'

/** Sends a message again to every endpoint where it is retrying or dead: counts first, and asks with the exact number. */
export async function resendFailed(messageId: string, done: () => void): Promise<void> {
  const filter = { message: messageId, status: ['failed', 'dead'] }
  const [all, cancelled] = await Promise.all([
    matching(filter),
    matching({ ...filter, status: ['dead'], reason: 'cancelled' }),
  ])
  if (all.kind !== 'answered') return notify('bad', problemOf(all))
  if (cancelled.kind !== 'answered') return notify('bad', problemOf(cancelled))
  const number = all.value.matching
  if (number === 0) return notify('bad', 'Nothing is left to resend. The page was out of date.')

  const reply = await ask({
    title: `Resend ${counted(number, 'delivery')}?`,
    sentence: sentenceFor(number, cancelled.value.matching),
    action: `Resend ${count(number)}`,
    wantsReason: true,
  })
  if (reply === null) return
  const answer = await post<Job>('job', { action: 'requeue', filter, ...reply })
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  notify('good', `Resending ${counted(answer.value.matching, 'delivery')}.`, href(`jobs/${answer.value.id}`))
  done()
}

function matching(filter: Readonly<Record<string, unknown>>): Promise<Answer<{ matching: number }>> {
  return post('job', { action: 'requeue', filter, dryRun: true })
}

function sentenceFor(number: number, cancelled: number): string {
  const what =
    number === 1
      ? 'It is sent again at once, with the full retry schedule.'
      : 'They are sent again at once, each with the full retry schedule.'
  const rest = 'What was delivered is not sent again.'
  if (cancelled === 0) return `${what} ${rest}`
  return `${what} ${count(cancelled)} of them ${cancelled === 1 ? 'was' : 'were'} cancelled by somebody. ${rest}`
}
