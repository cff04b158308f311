import { kindOf } from './invariants/invariant.ts'
import type { Violation } from './invariants/invariant.ts'
import type { Action, Scenario } from './scenario.ts'

export interface ShrinkOptions {
  /** Says what a scenario breaks. */
  readonly judge: (scenario: Scenario) => Promise<readonly Violation[]>
  readonly mostRuns: number
}

/** Less than this is not worth a run. */
const leastGapMs = 1_000

/** Takes away whatever a violation does not need, until nothing more can go. */
export async function shrink(scenario: Scenario, kind: string, { judge, mostRuns }: ShrinkOptions): Promise<Scenario> {
  let runs = 0
  let smallest = scenario

  /** Keeps a smaller scenario if it still breaks the same promise in the same way. */
  async function keeps(smaller: Scenario): Promise<boolean> {
    if (runs >= mostRuns) return false
    runs += 1
    if (!(await judge(smaller)).some((violation) => kindOf(violation) === kind)) return false
    smallest = smaller
    return true
  }

  for (let before = ''; before !== JSON.stringify(smallest) && runs < mostRuns;) {
    before = JSON.stringify(smallest)
    await removeActions(() => smallest, keeps)
    await lowerCounts(() => smallest, keeps)
    await removeUnused(() => smallest, keeps)
    await closeGaps(() => smallest, keeps)
    await keeps(shorter(smallest))
  }
  return { ...smallest, broke: kind }
}

type Current = () => Scenario
type Keeps = (smaller: Scenario) => Promise<boolean>

/** By halves, quarters and so on down to single ones. */
async function removeActions(current: Current, keeps: Keeps): Promise<void> {
  for (let size = Math.ceil(current().actions.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < current().actions.length;) {
      const { actions } = current()
      const isGone = await keeps({ ...current(), actions: [...actions.slice(0, from), ...actions.slice(from + size)] })
      if (!isGone) from += size
    }
  }
}

async function lowerCounts(current: Current, keeps: Keeps): Promise<void> {
  for (let index = 0; index < current().actions.length; index += 1) {
    for (const name of ['count', 'times']) {
      for (
        let count = numberIn(current().actions[index], name);
        count > 1;
        count = Math.min(count - 1, numberIn(current().actions[index], name))
      ) {
        const lower = Math.floor(count / 2)
        const actions = current().actions.map((action, each) =>
          each === index ? { ...action, [name]: lower } : action,
        )
        if (!(await keeps({ ...current(), actions }))) break
      }
    }
  }
}

/** Endpoints and processes that nothing needs any more; and differences between processes. */
async function removeUnused(current: Current, keeps: Keeps): Promise<void> {
  for (const { id } of current().endpoints) {
    await keeps({
      ...current(),
      endpoints: current().endpoints.filter((each) => each.id !== id),
      actions: current().actions.filter((action) => numberIn(action, 'endpoint', -1) !== id),
    })
  }
  for (const { id } of current().processes) {
    await keeps({
      ...current(),
      processes: current().processes.filter((each) => each.id !== id),
      actions: current().actions.filter((action) => numberIn(action, 'process', -1) !== id),
    })
  }
  await keeps({ ...current(), store: { ...current().store, listens: false } })
  await keeps({ ...current(), processes: current().processes.map((each) => ({ ...each, offsetMs: 0, driftPpm: 0 })) })
}

/** What happens long after the rest, or begins late, does so sooner. */
async function closeGaps(current: Current, keeps: Keeps): Promise<void> {
  for (let index = 0; index < current().actions.length; index += 1) {
    for (const share of [1, 0.5]) {
      const { actions, lengthMs } = current()
      const gapMs = (actions[index]?.at ?? 0) - (actions[index - 1]?.at ?? 0)
      const soonerMs = Math.floor(gapMs * share)
      if (soonerMs < leastGapMs) continue
      const sooner = actions.map((action, each) => (each < index ? action : { ...action, at: action.at - soonerMs }))
      if (await keeps({ ...current(), actions: sooner, lengthMs: lengthMs - soonerMs })) break
    }
  }
}

function shorter(scenario: Scenario): Scenario {
  const last = scenario.actions.at(-1)?.at ?? 0
  return { ...scenario, lengthMs: Math.min(scenario.lengthMs, last + 60_000) }
}

function numberIn(action: Action | undefined, name: string, otherwise = 0): number {
  const value: unknown = action === undefined ? undefined : Reflect.get(action, name)
  return typeof value === 'number' ? value : otherwise
}
