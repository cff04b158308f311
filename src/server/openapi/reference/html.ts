/** Text, escaped for the page. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** A sentence with `code` shown as code. */
export function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

/** The page has a `<base>`, so a link within it must name the page, too. */
export function anchor(id: string): string {
  return `api#${escaped(id)}`
}

/** A block to read and to copy. */
export function codeBlock(label: string, code: string): string {
  return `<div class="code"><pre tabindex="0" role="region" aria-label="${escaped(label)}"><code>${code}</code></pre></div>`
}

/** Formatted JSON: a list of plain values stays on one line. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /\[\s+([^[\]{}]*?)\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/\s*\n\s*/g, ' ')}]`,
  )
}
