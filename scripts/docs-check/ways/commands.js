/** One command per line; a line that ends in a backslash, or opens a here document, continues. */
export function commandsOf(code) {
  const commands = []
  let open = null
  for (const line of code.split('\n')) {
    if (open !== null) {
      commands[commands.length - 1] += `\n${line}`
      if (open === '\\' ? !line.endsWith('\\') : line === open) open = null
    } else if (line.trim() !== '' && !line.startsWith('#')) {
      commands.push(line.trim())
      const [, end] = /<<-?\s*'?(\w+)'?/.exec(line) ?? []
      open = end ?? (line.endsWith('\\') ? '\\' : null)
    }
  }
  return commands
}
