import type { Overview as Numbers } from '../../api/answers.ts'
import { counted, percent } from '../../text/format.ts'
import { Alarms } from './alarms.tsx'
import { Failing } from './failing.tsx'
import { Now } from './now.tsx'
import { Range } from './range.tsx'
import { verdict } from './verdict.ts'
import { Workers } from './workers.tsx'
import { Code } from '../../parts/code.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Page, Panel } from '../../parts/page.tsx'
import { Show } from '../../parts/loaded.tsx'
import { href, query } from '../../state/router.ts'
import { Windows } from '../../parts/form/segments.tsx'
import { sendCurl } from '../curl-examples.ts'
import { Prose } from '../../parts/time.tsx'

const refreshMs = 3_000
const windows = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
] as const

/** The overall status: first a sentence, then numbers, then charts. */
export function Overview() {
  const chosen = query.value.get('window') ?? '1h'
  const loaded = useLoad<Numbers>('overview', { window: chosen }, refreshMs)
  return (
    <Page title="Overview" actions={<Windows options={windows} chosen={chosen} />}>
      <Show loaded={loaded} lines={8}>
        {(numbers) => (
          <>
            <Summary numbers={numbers} />
            {numbers.alarms.length > 0 && <Alarms alarms={numbers.alarms} refresh={loaded.refresh} />}
            <Now queue={numbers.queue} />
            {numbers.failing.length > 0 && <Failing endpoints={numbers.failing} />}
            {numbers.attempts === 0 ? <FirstSteps /> : <Range numbers={numbers} name={nameOf(chosen)} />}
            <Workers workers={numbers.workers} />
          </>
        )}
      </Show>
    </Page>
  )
}

function nameOf(window: string): string {
  return windows.find(([value]) => value === window)?.[1] ?? 'In this range'
}

function Summary({ numbers }: { numbers: Numbers }) {
  const { tone, sentence } = verdict(numbers)
  const icon = tone === 'good' ? 'check' : tone === 'warning' ? 'retry' : 'broken'
  return (
    <div class={`verdict ${tone}`}>
      <Icon name={icon} />
      <div>
        <p class="sentence">
          <Prose text={sentence} />
        </p>
        <p class="muted">{circumstances(numbers)}</p>
      </div>
    </div>
  )
}

function circumstances({ alarm, deadLetterRate, workers }: Numbers): string {
  const parts = [
    alarm === 'none'
      ? null
      : `${percent(deadLetterRate)} of the deliveries that ended in this range are dead letters, more than ${alarm === 'alarm' ? 5 : 2} %`,
    `${counted(workers.length, 'worker')} alive`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? '' : `${parts.join(' · ')}.`
}

function FirstSteps() {
  return (
    <Panel title="Nothing was sent in this time">
      <p>
        Choose a longer time above; or add an <a href={href('endpoints')}>endpoint</a> and send it a message, which
        shows up here within seconds.
      </p>
      <Code label="A command that sends a message" text={sendCurl()} />
    </Panel>
  )
}
