import type { ApiClient, Query } from '../http-api/api-client.ts'
import type { Listed } from '../http-api/responses.ts'
import type { SvixEventType } from './svix-answers.ts'

/** What an import reads about existing resources. */
export interface OurResource {
  readonly id: string
  readonly uid: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export interface OurApplication extends OurResource {
  readonly endpoints: readonly OurResource[]
}

/** Fields in Svix's form. */
export type OurEventType = SvixEventType

/** The existing resources that an import could meet: applications by their uids, and all event types. */
export async function ourResources(
  client: ApiClient,
  uids: ReadonlySet<string>,
): Promise<{ applications: OurApplication[]; eventTypes: OurEventType[] }> {
  const applications: OurApplication[] = []
  for (const application of await listed<OurResource>(client, '/app')) {
    if (!uids.has(application.uid ?? '')) continue
    const endpoints = await listed<OurResource>(client, `/app/${application.id}/endpoint`)
    applications.push({ ...application, endpoints })
  }
  const content = { include_archived: 'true', with_content: 'true' }
  return { applications, eventTypes: await listed<OurEventType>(client, '/event-type', content) }
}

async function listed<Item>(client: ApiClient, path: string, query: Query = {}): Promise<Item[]> {
  const all: Item[] = []
  for (let iterator: string | undefined; ;) {
    const page = await client.request<Listed<Item>>('GET', path, { query: { ...query, limit: '250', iterator } })
    all.push(...page.data)
    if (page.done || page.iterator === null) return all
    iterator = page.iterator
  }
}
