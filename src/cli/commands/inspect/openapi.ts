import { exit } from '../../command.ts'
import { helpText } from '../../help-text.ts'
import type { Command } from '../../command.ts'

export const openapi: Command = {
  name: 'openapi',
  summary: 'prints the description of the HTTP API (OpenAPI 3.1)',
  options: { json: { type: 'boolean', sentence: 'prints it on one line' } },
  help: helpText({
    usage: 'openapi [--json] > posthorn.openapi.json',
    text: ['Prints the description of the HTTP API (OpenAPI 3.1), from the schemas that also validate.'],
  }),
  async run({ json }, { output }) {
    const [{ openApi }, { operations }] = await Promise.all([
      import('../../../server/openapi/document.ts'),
      import('../../../server/operations.ts'),
    ])
    output.write(`${JSON.stringify(openApi(operations, ''), null, json === true ? 0 : 2)}\n`)
    return exit.ok
  },
}
