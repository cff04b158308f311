import type { Page } from 'playwright-core'

/** Times as machines write them where people read, and times without the exact one behind them. What is code stays as it is. */
export function stamps(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
  const found = [...document.querySelectorAll('time:not([title])')].map((each) => each.outerHTML)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode() !== null) {
    const { data, parentElement } = texts.currentNode
    if (/\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d|\\d\\d:\\d\\d (?:UTC|GMT)\\b/.test(data) && parentElement.closest('pre, code, textarea') === null) found.push(data)
  }
  return found
})()`)
}
