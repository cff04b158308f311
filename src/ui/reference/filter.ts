/** Shows only the operations that have every word that is typed in their method, path, id or purpose. */
export function filterAsTyped(): void {
  const input = document.querySelector<HTMLInputElement>('.find-operation input')
  if (input === null) return
  input.addEventListener('input', () => filter(input.value))
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === input) return
    event.preventDefault()
    input.focus()
  })
}

function filter(text: string): void {
  const words = text.toLowerCase().split(/\s+/)
  let found = 0
  for (const section of document.querySelectorAll<HTMLElement>('section.operations')) {
    const operations = [...section.querySelectorAll<HTMLElement>('.operation')]
    for (const each of operations) each.hidden = !words.every((word) => each.dataset['words']?.includes(word))
    section.hidden = operations.every((each) => each.hidden)
    found += operations.filter((each) => !each.hidden).length
  }
  // Everything else is hidden while a filter is set.
  for (const rest of document.querySelectorAll<HTMLElement>('section.rest')) rest.hidden = text !== ''
  const none = document.querySelector('.none')
  if (none !== null) none.textContent = text === '' ? '' : said(found, text)
}

function said(found: number, text: string): string {
  if (found === 0) return `No operation has “${text}” in its method, path, id or purpose.`
  return found === 1 ? '1 operation' : `${found} operations`
}
