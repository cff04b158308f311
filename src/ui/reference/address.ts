/** The operation in the address is expanded and scrolled to; the expanded one is put into the address. */
export function followAddress(): void {
  show()
  addEventListener('hashchange', show)
  for (const details of document.querySelectorAll<HTMLDetailsElement>('.operation')) {
    // Not `toggle`: an operation that the address expands must not change the address again.
    details.querySelector('summary')?.addEventListener('click', () => {
      if (!details.open) history.replaceState(null, '', `${location.pathname}#${details.id}`)
    })
  }
}

function show(): void {
  const named = document.getElementById(decoded(location.hash.slice(1)))
  if (named === null) return
  named.hidden = false
  if (named instanceof HTMLDetailsElement) named.open = true
  named.scrollIntoView()
  named.querySelector<HTMLElement>('summary')?.focus({ preventScroll: true })
}

/** An address that cannot be decoded names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
