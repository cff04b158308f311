import { apiUrl } from '../api/call.ts'

/** The command that sends a first message, ready to paste. */
export function sendCurl(application = 'acme'): string {
  return command(`app/${application}/msg`, { eventType: 'invoice.paid', payload: { invoice: 7 } })
}

export function endpointCurl(application = 'acme'): string {
  return command(`app/${application}/endpoint`, { url: 'https://example.com/hooks', eventTypes: ['invoice.paid'] })
}

export function eventTypeCurl(): string {
  return command('event-type', { name: 'invoice.paid', description: 'An invoice was paid in full.' })
}

function command(path: string, body: unknown): string {
  return [
    `curl ${apiUrl(path)}`,
    `  -H 'authorization: Bearer '"$POSTHORN_KEY"`,
    `  -H 'content-type: application/json'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n')
}
