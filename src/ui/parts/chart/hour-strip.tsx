import type { Hour } from '../../api/answers.ts'
import { count } from '../../text/format.ts'

const height = 20

/** The last 24 hours of an endpoint: how much was sent, and how much of it failed. */
export function Strip({ hours }: { hours: readonly Hour[] }) {
  const top = Math.max(1, ...hours.map(({ delivered, failed, dead }) => delivered + failed + dead))
  const sum = hours.reduce(
    (total, hour) => ({
      delivered: total.delivered + hour.delivered,
      troubled: total.troubled + hour.failed + hour.dead,
    }),
    {
      delivered: 0,
      troubled: 0,
    },
  )
  const label = `Last 24 hours: ${count(sum.delivered)} delivered, ${count(sum.troubled)} failed attempts or dead`
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${hours.length * 4} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {hours.map(({ at, delivered, failed, dead }, index) => {
        const good = (delivered / top) * height
        const retried = (failed / top) * height
        const lost = (dead / top) * height
        const x = index * 4
        return (
          <g key={at}>
            <rect class="none" x={x} y={height - 1} width={3} height={1} />
            {good > 0 && <rect class="delivered" x={x} y={height - good} width={3} height={good} />}
            {retried > 0 && <rect class="failed" x={x} y={height - good - retried} width={3} height={retried} />}
            {lost > 0 && <rect class="dead" x={x} y={height - good - retried - lost} width={3} height={lost} />}
          </g>
        )
      })}
    </svg>
  )
}
