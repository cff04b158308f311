import type { Attempt, DeliveryDetail } from '../../api/answers.ts'
import { bytes, latency } from '../../text/format.ts'
import { outcomeLabel } from '../../text/labels.ts'
import { Code } from '../../parts/code.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Panel } from '../../parts/page.tsx'
import { Ago, Until } from '../../parts/time.tsx'
import { Sent } from './sent-request.tsx'

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
  const { number, startedAt, tookMs, outcome, statusCode, late } = attempt
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
        <p class="took">
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect width={Math.max(1, (tookMs / slowestMs) * 100)} height="4" />
          </svg>
          {latency(tookMs)}
        </p>
        <Sent attempt={attempt} />
        <Response attempt={attempt} isOpen={isLast && !succeeded} />
      </div>
    </li>
  )
}

function Response({ attempt: { number, outcome, response }, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  if (response === null || response === '')
    return <p class="note">{outcome === 'answered' ? 'No body is kept of the answer.' : 'Nothing came back.'}</p>
  return (
    <details open={isOpen}>
      <summary>
        {outcome === 'answered' ? 'What came back' : 'What went wrong'}{' '}
        <span class="muted">({bytes(response.length)})</span>
      </summary>
      <Code label={`What came back at attempt ${number}`} text={response} />
    </details>
  )
}
