/** The labelled values of an axis, from zero up; the last is its top. */
export function ticksUpTo(highest: number, top: number | undefined): number[] {
  if (top !== undefined) return [0, top / 2, top]
  const step = stepFor(Math.max(1, highest))
  const steps = Math.max(1, Math.ceil(highest / step))
  return Array.from({ length: steps + 1 }, (_, index) => index * step)
}

const mostSteps = 4

/** The smallest round step that gives only a few labels; a whole number, because counts are. */
function stepFor(highest: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(highest / mostSteps)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => highest / step <= mostSteps) ?? highest
}

/** The positions of the labels under a chart, evenly spread from the first to the last bucket. */
export function labelPlaces(length: number): number[] {
  if (length === 0) return []
  return [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (length - 1))))]
}
