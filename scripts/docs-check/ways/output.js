// What a page says that a command prints, held against what it has printed.

/** `…` stands for anything; how much space there is does not matter. Null if it is there, else what came. */
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
