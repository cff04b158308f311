import type { Config, Policy, Setting } from '../../api/answers.ts'
import { counted, duration, percent } from '../../text/format.ts'
import { ApiKeys } from './api-keys.tsx'
import { Sessions } from './sessions.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Page, Panel } from '../../parts/page.tsx'
import { Show } from '../../parts/loaded.tsx'
import { Prose } from '../../parts/time.tsx'

/** The configuration of the server. */
export function Settings() {
  const loaded = useLoad<Config>('config')
  return (
    <Page title="Settings">
      <Show loaded={loaded} lines={10}>
        {(config) => (
          <div class="in-order">
            <p class="muted">
              Posthorn {config.version} on {config.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
            </p>
            <Panel title="Retry policies">
              <ul class="plain policies">
                {config.policies.map((policy) => (
                  <Drawn key={policy.name} policy={policy} />
                ))}
              </ul>
            </Panel>
            <ApiKeys />
            <Sessions />
            <Panel title="Configuration">
              {config.settings.length === 0 ? (
                <p class="muted">Posthorn runs inside another program, which configures it.</p>
              ) : (
                <Table settings={config.settings} />
              )}
            </Panel>
          </div>
        )}
      </Show>
    </Page>
  )
}

/** A policy as a line with its attempts. The scale is logarithmic: an hour and a day must fit on one line. */
function Drawn({ policy }: { policy: Policy }) {
  const times = sendTimes(policy)
  const lastMs = times.at(-1) ?? 0
  const sentence = `${counted(policy.maxAttempts, 'attempt')} over ${lastMs === 0 ? 'no time' : duration(lastMs)}: at once, then after ${times.slice(1).map(duration).join(', ')}${
    policy.jitter > 0 ? `; each wait ±${percent(policy.jitter)}` : ''
  }.`
  const place = (ms: number): number =>
    2 + (lastMs === 0 ? 0 : Math.log1p(ms / 10_000) / Math.log1p(lastMs / 10_000)) * 96
  return (
    <li>
      <h3>{policy.name}</h3>
      <svg class="policy" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={sentence}>
        <path class="axis" d={`M2 5H${place(lastMs)}`} />
        {times.map((ms) => (
          <path key={ms} class="send" d={`M${place(ms)} 1V9`} />
        ))}
      </svg>
      <p class="muted">
        <Prose text={sentence} />
      </p>
    </li>
  )
}

/** The time of each attempt after the first, if every one fails. */
function sendTimes({ delaysMs, maxAttempts }: Policy): number[] {
  const times = [0]
  for (const delayMs of delaysMs.slice(0, maxAttempts - 1)) times.push((times.at(-1) ?? 0) + delayMs)
  return times
}

function isSet(value: unknown): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Table({ settings }: { settings: readonly Setting[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Every setting, its value and where that comes from</caption>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col" class="wide">
              From
            </th>
          </tr>
        </thead>
        <tbody>
          {settings.map(({ name, env, value, unit, origin, sentence }) => (
            <tr key={env}>
              <td class="main">
                <code title={name}>{env}</code>
                <div class="under whole">
                  <Prose text={sentence} />
                </div>
              </td>
              <td class="value">
                {isSet(value) ? shown(value) : <span class="muted">not set</span>}{' '}
                {isSet(value) && <span class="muted">{unit}</span>}
              </td>
              <td class="wide">
                {origin === 'default' ? <span class="muted">default</span> : <strong>{origin}</strong>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
