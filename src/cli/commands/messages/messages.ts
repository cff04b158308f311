import { exit } from '../../command.ts'
import type { CommandGroup } from '../../command.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import { pathSegment } from '../../http-api/api-client.ts'

export const messages: CommandGroup = {
  name: 'messages',
  summary: 'messages: erase the payload of one',
  commands: [
    apiCommand({
      name: 'messages erase',
      summary: 'erases the payload of a message and the answers to it for good; the rest of it stays',
      takes: ['<application>', '<message>'],
      text: [
        'What is still on its way is cancelled. It is not sent again from then on. It cannot be undone.',
        'The message is named by its id or its event id.',
      ],
      options: { yes: { type: 'boolean', sentence: 'says that you mean it; without it nothing is done' } },
      examples: ['messages erase acme msg_… --yes'],
      async run({ client, options, given: [application = '', id = ''], show, terminal }) {
        if (options['yes'] !== true) {
          terminal.say(
            `posthorn messages erase: expected --yes, because what is erased cannot be brought back; got none. Nothing was done to ${id}.`,
          )
          return exit.usage
        }
        await client.request('DELETE', `/app/${pathSegment(application)}/msg/${pathSegment(id)}/content`)
        show({ id, erased: true }, () => `erased the payload of ${id}`)
        return exit.ok
      },
    }),
  ],
}
