import type { Series } from './series.ts'

/** The height of the drawing in its own units; the page scales it. */
export const height = 100

export function Bars({ series, length, top }: { series: readonly Series[]; length: number; top: number }) {
  const gap = length > 100 ? 0.1 : 0.22
  return Array.from({ length }, (_, index) => {
    let below = 0
    return series.map(({ name, tone, values }) => {
      const size = ((values[index] ?? 0) / top) * height
      below += size
      return (
        size > 0 && (
          <rect
            key={`${name}${index}`}
            class={tone}
            x={index + gap / 2}
            y={height - below}
            width={1 - gap}
            height={size}
          />
        )
      )
    })
  })
}

/** A line that is interrupted where there are no values. */
export function Line({ series, top }: { series: Series; top: number }) {
  let pen = 'M'
  let path = ''
  for (const [index, value] of series.values.entries()) {
    if (value === null) pen = 'M'
    else {
      const y = height - (Math.min(value, top) / top) * (height - 2) - 1
      // A single point is drawn as a short stroke; otherwise it would be invisible.
      path += pen === 'M' ? `M${index + 0.3} ${y}L${index + 0.7} ${y}` : `L${index + 0.5} ${y}`
      pen = 'L'
    }
  }
  return <path class={`line ${series.tone}`} d={path} />
}
