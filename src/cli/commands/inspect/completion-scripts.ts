import type { Command, CommandGroup } from '../../command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** What can follow the words typed so far. */
interface Step {
  /** '' for `posthorn` itself; then `dlq`, `dlq retry`. */
  readonly after: string
  readonly choices: readonly { readonly word: string; readonly sentence: string }[]
}

/** A completion script for a shell, from the table of commands. */
export function completionScript(shell: Shell, commands: readonly (Command | CommandGroup)[]): string {
  const steps = stepsOf(commands)
  switch (shell) {
    case 'bash':
      return bash(steps)
    case 'zsh':
      return `#compdef posthorn\nautoload -U +X bashcompinit && bashcompinit\n${bash(steps)}`
    case 'fish':
      return fish(steps)
  }
}

function stepsOf(commands: readonly (Command | CommandGroup)[]): Step[] {
  const first = { after: '', choices: commands.map(({ name, summary }) => ({ word: name, sentence: summary })) }
  return [
    first,
    ...commands.flatMap((command) =>
      'commands' in command ? groupSteps(command) : [commandStep(command.name, command)],
    ),
  ]
}

function groupSteps({ name, commands }: CommandGroup): Step[] {
  const own = { after: name, choices: commands.map((command) => ({ word: command.name, sentence: command.summary })) }
  return [own, ...commands.map((command) => commandStep(`${name} ${command.name}`, command))]
}

function commandStep(after: string, { options }: Command): Step {
  const flags = Object.entries(options).map(([name, { sentence = '' }]) => ({ word: `--${name}`, sentence }))
  return { after, choices: [...flags, { word: '--help', sentence: 'explains it' }] }
}

function bash(steps: readonly Step[]): string {
  const cases = steps
    .filter(({ after }) => after !== '')
    .map(({ after, choices }) => `    '${after}') words='${wordsOf(choices)}' ;;`)
  const groups = steps
    .filter(
      ({ after, choices }) =>
        after !== '' && !after.includes(' ') && choices.every(({ word }) => !word.startsWith('--')),
    )
    .map(({ after }) => after)
  const top = steps.find(({ after }) => after === '')?.choices ?? []
  return [
    '_posthorn() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" typed="${COMP_WORDS[1]}" words',
    '  if [ "$COMP_CWORD" -gt 2 ]; then',
    `    case "$typed" in ${groups.join('|')}) typed="$typed \${COMP_WORDS[2]}" ;; esac`,
    '  fi',
    '  [ "$COMP_CWORD" -le 1 ] && typed=""',
    '  case "$typed" in',
    `    '') words='${wordsOf(top)} --help --version' ;;`,
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _posthorn posthorn',
  ].join('\n')
}

function fish(steps: readonly Step[]): string {
  return steps
    .flatMap(({ after, choices }) => {
      const seen =
        after === '' ? ['__fish_use_subcommand'] : after.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
      const isGroup = after !== '' && choices.every(({ word }) => !word.startsWith('--'))
      const condition = [...seen, ...(isGroup ? [`not __fish_seen_subcommand_from ${wordsOf(choices)}`] : [])].join(
        '; and ',
      )
      return choices.map(({ word, sentence }) => {
        const choice = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
        return `complete -c posthorn -n '${condition}' ${choice} -d '${sentence.replaceAll("'", String.raw`\'`)}'`
      })
    })
    .join('\n')
}

function wordsOf(choices: Step['choices']): string {
  return choices.map(({ word }) => word).join(' ')
}
