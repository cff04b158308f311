/** One line with the result of a mutant. */
export function lineOf({ mutant, kind, why, tookMs }) {
  const head = `${kind.padEnd(8)} ${mutant.name}`
  const [sentence] = why.split('\n', 1)
  return kind === 'caught'
    ? `${head}  ${(tookMs / 1_000).toFixed(1)} s`
    : `${head}: ${mutant.says} ${testOf(mutant)} should fail, but ${sentence}`
}

/** The same for one that the simulator searched for: with the seed, or why there is none. */
export function seedLineOf({ mutant, kind, why, tookMs }) {
  return `${kind.padEnd(8)} ${mutant.name}: ${why}  ${(tookMs / 1_000).toFixed(1)} s`
}

/** The last line: how many were caught, of all. */
export function conclusion(results) {
  return `${results.filter(({ kind }) => kind === 'caught').length} of ${results.length} caught`
}

function testOf({ caughtBy }) {
  return caughtBy.command === undefined
    ? `"${caughtBy.title.replace('%s', () => caughtBy.row ?? '%s')}" in ${caughtBy.file}`
    : `\`${caughtBy.command.join(' ')}\``
}
