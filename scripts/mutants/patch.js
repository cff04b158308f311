/** The text with its defect. The text to replace must occur exactly once: an outdated patch would plant something else, or nothing. */
export function patched(text, { file, find, replace }) {
  const count = text.split(find).length - 1
  if (count !== 1)
    throw new Error(`Expected ${file} to hold the text to replace once, found it ${count} times. Renew the mutant.`)
  // Not as a pattern: a replacement may contain a dollar sign.
  return text.replace(find, () => replace)
}
