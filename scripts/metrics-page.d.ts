import type { Definition } from '../src/metrics/definitions.ts'

export function metricsPage(definitions: readonly Definition[]): string
