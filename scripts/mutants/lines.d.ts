import type { MutantResult } from './run.js'

export function lineOf(result: MutantResult): string
export function seedLineOf(result: MutantResult): string
export function conclusion(results: readonly MutantResult[]): string
