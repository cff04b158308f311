/** A section of the page: its subject, and the tags whose operations it shows. */
export interface Section {
  readonly title: string
  readonly sentence: string
  readonly tags: readonly string[]
}

/** In the order of the page: first what applications call, then what operators use. */
export const sections: readonly Section[] = [
  {
    title: 'Applications',
    sentence: 'An application is one of your customers: it has endpoints, and gets messages.',
    tags: ['application', 'application-overview'],
  },
  {
    title: 'Endpoints',
    sentence: 'An endpoint is a URL that gets messages: which types, signed with which secret, how fast.',
    tags: ['endpoint', 'endpoint-overview'],
  },
  {
    title: 'Event types',
    sentence: 'An event type names what happened, and can have a schema that every payload must match.',
    tags: ['event-type', 'event-type-overview'],
  },
  {
    title: 'Messages',
    sentence: 'A message is one event, delivered to every endpoint that subscribes to it.',
    tags: ['message', 'message-overview'],
  },
  {
    title: 'Attempts',
    sentence: 'An attempt is one request to one endpoint, and what it answered.',
    tags: ['message-attempt'],
  },
  {
    title: 'Deliveries',
    sentence: 'A delivery is a message on its way to one endpoint, with all its attempts.',
    tags: ['delivery', 'dead-letter'],
  },
  {
    title: 'Jobs',
    sentence: 'A job is bulk work: it retries, cancels, replays or erases in batches.',
    tags: ['job', 'background-task'],
  },
  {
    title: 'Keys and portal',
    sentence: 'API keys for programs, and links that open the portal for a customer.',
    tags: ['key', 'authentication'],
  },
  {
    title: 'Sessions',
    sentence: 'How a browser signs in to the dashboard, and out again.',
    tags: ['session'],
  },
  {
    title: 'Overview',
    sentence: 'How things stand: counts, latencies, workers, settings, and search over all of it.',
    tags: ['overview', 'worker', 'config', 'search'],
  },
  {
    title: 'Alarms',
    sentence: 'What somebody should look at, and who is notified.',
    tags: ['alarm', 'alarm-target'],
  },
  {
    title: 'Stream and audit',
    sentence: 'Events as they happen, and who changed what.',
    tags: ['stream', 'audit'],
  },
  { title: 'Health', sentence: 'Whether the server is up, for load balancers and probes.', tags: ['health'] },
]

export function sectionId(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}
