export interface EventDescription {
  readonly type: string
  readonly fields: readonly { readonly name: string; readonly kind: string }[]
}

export function eventsIn(source: string): EventDescription[]
export function eventsPage(source: string, beside: string): string
