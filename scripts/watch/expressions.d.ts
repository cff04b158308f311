import type { Definition } from '../../src/metrics/definitions.ts'

export interface Alert {
  readonly name: string
  readonly expression: string
  readonly severity: string
  readonly summary: string
  readonly description: string
  readonly runbook: string
}

export interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[]
}

export function alertsIn(text: string): Alert[]
export function expressionsIn(dashboard: Dashboard): { readonly panel: string; readonly expression: string }[]
export function filledIn(expression: string, values: { readonly rateInterval: string }): string
export function unknownIn(expression: string, definitions: readonly Definition[]): string[]
