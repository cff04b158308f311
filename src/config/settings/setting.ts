/** One setting: where it comes from, what it means, what it may be. */
export interface Setting<Value> {
  /** Names in the environment; the first that is set wins. Each also works with `_FILE` if it is a secret. */
  readonly env: readonly string[]
  readonly default: Value
  readonly unit: string
  readonly sentence: string
  readonly secret?: boolean
  /** What the number in the environment is multiplied by, where the value has a smaller unit. */
  readonly scale?: number
  readonly read: (text: string, name: string) => Value
}
