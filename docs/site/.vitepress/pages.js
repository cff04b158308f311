// Every page, by section, with a sentence: the site's sidebar and llms.txt are made of it, and a test holds it against the folder.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('../..', import.meta.url))

const sections = [
  {
    title: 'Start',
    pages: [
      ['start/library.md', 'Library', 'Send a signed webhook from a Node program, in five minutes'],
      ['start/server.md', 'Server', 'Run the server with dashboard and HTTP API, in five minutes'],
      ['start/languages.md', 'Other languages', 'Send from any language, with the Svix clients or plain HTTP'],
      ['concepts.md', 'Concepts', 'Every term on one page, with a drawing'],
    ],
  },
  {
    title: 'Guides',
    pages: [
      ['guides/library.md', 'Using the library', 'Sending, endpoints, deliveries, events, policies'],
      [
        'guides/outbox.md',
        'The outbox',
        'Send within your own transaction: pg, Drizzle, Kysely, Prisma, Knex, TypeORM, postgres.js, SQLite, better-sqlite3',
      ],
      ['guides/typed-events.md', 'Typed events', 'Events with schemas, checked by the compiler and at run time'],
      ['guides/testing.md', 'Testing', 'Test senders and receivers, with time that moves by hand'],
      ['portal.md', 'The portal', 'Links with which customers manage their own endpoints'],
      ['guides/embedding.md', 'Inside your own server', 'API and dashboard in Express, Fastify, Hono and Next.js'],
      ['payload-filters.md', 'Payload filters', 'Let an endpoint choose messages by their contents'],
      [
        'endpoint-authentication.md',
        'Authentication to endpoints',
        'Tokens, OAuth2, client certificates, and the forward proxy',
      ],
      ['endpoint-health.md', 'When an endpoint fails', 'Breaker, warnings, and when an endpoint is disabled'],
      ['dashboard.md', 'The dashboard', 'What each page answers'],
    ],
  },
  {
    title: 'Receiving webhooks',
    pages: [
      [
        'receiving/index.md',
        'Receiving webhooks',
        'For your customers: five rules, retries, rotation, and verifying in seven languages',
      ],
      [
        'receiving/frameworks.md',
        'Express, Fastify, Hono, Next.js',
        'Complete receivers with raw body and replay protection',
      ],
      ['receiving/local.md', 'On your own machine', 'posthorn listen, beside stripe listen'],
    ],
  },
  {
    title: 'Operating',
    pages: [
      ['operating/index.md', 'Overview', 'What runs, and where to find what'],
      ['deploy.md', 'Deploying', 'Plain processes, systemd, containers, Kubernetes, nginx and Caddy'],
      ['operating/checklist.md', 'Production checklist', 'What to have done before customers depend on it'],
      [
        'operations.md',
        'Operations',
        'What an operator does, as commands; logs, traces, metrics, alarms, audit, retention, erasure',
      ],
      ['operating/upgrading.md', 'Upgrading', 'To the next release, without downtime'],
      ['operating/capacity.md', 'Capacity', 'How much it carries, a check with your own numbers, and what limits what'],
      ['operating/troubleshooting.md', 'Troubleshooting', 'By symptom'],
      ['security.md', 'Security', 'What is defended, how, and what is not'],
    ],
  },
  {
    title: 'Moving',
    pages: [
      ['moving.md', 'Moving', 'From Svix, from a job of your own, SQLite to PostgreSQL; backup and restore'],
      ['svix.md', 'For Svix clients', 'What is the same, what differs, and what Posthorn adds'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['configuration.md', 'Configuration', 'Every setting'],
      ['reference/cli.md', 'Command line', 'Every command'],
      ['http-api.md', 'HTTP API', 'Keys, responses, limits, idempotency, stream, health'],
      ['reference/http-api.md', 'HTTP API: every call', 'Path, parameters, body and response of each'],
      ['reference/events.md', 'Events', 'What posthorn.on listens to'],
      ['metrics.md', 'Metrics', 'Every metric of /metrics'],
      ['reference/errors.md', 'Errors by code', 'What each means, and what to do'],
    ],
  },
  {
    title: 'Why',
    pages: [
      ['guarantees.md', 'Guarantees', 'Each of them, what checks it, and what is not guaranteed'],
      [
        'performance.md',
        'Performance',
        'Figures, what a delivery costs, what limits each store, and capacity planning',
      ],
      ['comparison.md', 'Comparison', 'With Svix, Convoy, Outpost, Hook0 and a job queue; what is not offered'],
    ],
  },
  {
    title: 'Internals',
    pages: [
      ['architecture.md', 'Architecture', 'One delivery through the code, in order of execution'],
      ['spec.md', 'Specification', 'Acceptance criteria, each with a test of its name'],
      ['growth.md', 'Growth', 'Claims on tables of ten million rows'],
      ['benchmarks.md', 'Running the benchmarks', 'What each command measures, and how'],
      ['decisions.md', 'Decisions', 'What was decided where documents disagree'],
      ['dependencies.md', 'Dependencies', 'Each of them, and why'],
    ],
  },
]

/** Sections with the pages that are there. */
export const navigation = sections.map(({ title, pages }) => ({
  title,
  pages: pages.filter(([path]) => existsSync(docs + path)).map(([path, name, sentence]) => ({ path, name, sentence })),
}))
