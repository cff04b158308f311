/** Names endpoints in labels, up to a limit: a flood of endpoints must not become a flood of series. */
export class EndpointLabels {
  readonly #most: number
  readonly #named = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  /** The first ones keep their names; all others share one. */
  nameOf(endpointId: string): string {
    if (this.#named.has(endpointId)) return endpointId
    if (this.#named.size >= this.#most) return 'other'
    this.#named.add(endpointId)
    return endpointId
  }
}
