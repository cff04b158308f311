// Compares the output that a page shows with what a command has printed.

/** `…` stands for anything; the amount of space does not matter. Null if it matches, otherwise the actual output. */
export function outputProblem(wanted, printed) {
  const parts = squeezed(wanted).split('…')
  const form = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('[\\s\\S]*?')
  return new RegExp(form).test(squeezed(printed)) ? null : `expected the output\n${wanted}\ngot\n${printed}`
}

function squeezed(text) {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{}[\],:]) ?/g, '$1')
    .trim()
}
