/** One setting: its names, meaning and valid values. */
export interface Setting<Value> {
  /** Names in the environment; the first that is set wins. Secrets can also be given with `_FILE`. */
  readonly env: readonly string[]
  readonly default: Value
  readonly unit: string
  readonly sentence: string
  readonly secret?: boolean
  /** The factor for the number in the environment, if the value has a smaller unit. */
  readonly scale?: number
  readonly read: (text: string, name: string) => Value
}
