import { exit } from '../../command.ts'
import { helpText } from '../../help-text.ts'
import type { Command, CommandGroup } from '../../command.ts'
import { nearest } from '../../../core/nearest.ts'
import { completionScript, shells } from './completion-scripts.ts'
import type { Shell } from './completion-scripts.ts'

/** Generated from the table of commands, so it cannot be out of date. */
export function completion(commands: () => readonly (Command | CommandGroup)[]): Command {
  return {
    name: 'completion',
    summary: 'prints a completion script for bash, zsh or fish',
    takes: ['<shell>'],
    options: {},
    help: helpText({
      usage: 'completion bash|zsh|fish',
      text: ['Prints a script that lets your shell complete commands and options.'],
      examples: [
        'eval "$(posthorn completion bash)"',
        'posthorn completion zsh > "${fpath[1]}/_posthorn"',
        'posthorn completion fish > ~/.config/fish/completions/posthorn.fish',
      ],
    }),
    async run(_, { output, say }, [given = '']) {
      const shell = shells.find((name) => name === given)
      if (shell === undefined) {
        const meant = nearest(given, shells)
        say(
          `posthorn completion: expected ${shells.join(', ')}, got "${given}".${meant === null ? '' : ` Did you mean "${meant}"?`}`,
        )
        return exit.usage
      }
      output.write(`${completionScript(shell satisfies Shell, commands())}\n`)
      return exit.ok
    },
  }
}
