/** The text with its defect. What is to be replaced must stand there exactly once: a patch that has come loose plants something else, or nothing. */
export function patched(text, { file, find, replace }) {
  const count = text.split(find).length - 1
  if (count !== 1)
    throw new Error(`Expected ${file} to hold the text to replace once, found it ${count} times. Renew the mutant.`)
  // Not as a pattern: a replacement may hold a dollar sign.
  return text.replace(find, () => replace)
}
