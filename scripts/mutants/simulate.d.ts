import type { Mutant, MutantResult, Slot } from './run.js'

export interface Simulated {
  readonly code: number | null
  readonly output: string
}

export function simulateMutants(run: {
  readonly root: string
  readonly mutants: readonly Mutant[]
  readonly slots: number
  readonly makeSlot: (root: string) => Slot
  readonly simulate: (folder: string, args: readonly string[]) => Promise<Simulated>
  readonly say?: (result: MutantResult) => void
}): Promise<MutantResult[]>

export function simulateIn(folder: string, args: readonly string[]): Promise<Simulated>
