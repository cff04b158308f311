/** A promise that a test fulfils by hand. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function makeGate(): Gate {
  let open = nothing
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

function nothing(): void {
  // Replaced before anyone can call it: a promise runs its function at once.
}
