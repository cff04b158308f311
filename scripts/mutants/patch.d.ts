import type { Mutant } from './run.js'

export function patched(text: string, mutant: Pick<Mutant, 'file' | 'find' | 'replace'>): string
