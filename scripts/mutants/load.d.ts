import type { Mutant } from './run.js'

export function loadMutants(folder: string): Promise<Mutant[]>
