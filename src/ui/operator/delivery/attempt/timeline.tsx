import type { Attempt, DeliveryDetail } from '../../../api/answers.ts'
import { outcomeLabel } from '../../../text/labels.ts'
import { Icon } from '../../../parts/icons.tsx'
import { Panel } from '../../../parts/page.tsx'
import { Ago, Prose, Until } from '../../../parts/time.tsx'
import { attemptSentence } from './sentence.ts'
import { AttemptTiming } from './timing.tsx'
import { Response } from './response.tsx'
import { Request } from './sent-request.tsx'

/** Every attempt in order, and the one that comes next. */
export function Timeline({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts, status, nextRetryAt, inFlight, attemptCount, maxAttempts } = delivery
  const slowestMs = Math.max(1, ...attempts.map(({ tookMs }) => tookMs))
  const isOpen = status === 'pending' || status === 'failed'
  return (
    <Panel title="Attempts">
      {attempts.length === 0 && !isOpen && <p class="muted">Nothing was sent.</p>}
      <ol class="timeline">
        {attempts.map((attempt, index) => (
          <Step key={attempt.id} attempt={attempt} slowestMs={slowestMs} isLast={index === attempts.length - 1} />
        ))}
        {isOpen && (
          <li class="step next">
            <Icon name={inFlight ? 'flight' : 'dots'} />
            <div>
              <p class="what">
                <strong>
                  {inFlight ? (
                    'Being sent now'
                  ) : (
                    <>
                      Attempt {attemptCount + 1} {nextRetryAt === null ? 'is due' : <Until at={nextRetryAt} />}
                    </>
                  )}
                </strong>
                <span class="muted">of {maxAttempts} in all</span>
              </p>
            </div>
          </li>
        )}
      </ol>
    </Panel>
  )
}

function Step({ attempt, slowestMs, isLast }: { attempt: Attempt; slowestMs: number; isLast: boolean }) {
  const { number, startedAt, outcome, statusCode, late, address } = attempt
  const sentence = attemptSentence(attempt)
  const succeeded = outcome === 'answered' && statusCode !== null && statusCode >= 200 && statusCode < 300
  return (
    <li class={succeeded ? 'step good' : 'step bad'}>
      <Icon name={succeeded ? 'check' : 'cross'} />
      <div>
        <p class="what">
          <strong>{outcomeLabel(outcome, statusCode)}</strong>
          <span>
            attempt {number}, <Ago at={startedAt} />
          </span>
          {late && <span class="tag">late: another worker had taken over</span>}
        </p>
        {sentence !== null && (
          <p class="cause">
            <Prose text={sentence} />
          </p>
        )}
        <AttemptTiming attempt={attempt} slowestMs={slowestMs} />
        <div class="exchange">
          {address !== null && (
            <span class="note">
              Address <code>{address}</code>
            </span>
          )}
          <Request attempt={attempt} />
          <Response attempt={attempt} isOpen={isLast && !succeeded} />
        </div>
      </div>
    </li>
  )
}
