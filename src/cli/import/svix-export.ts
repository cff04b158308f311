import type { SvixApi } from './svix-api.ts'
import {
  svixApplication,
  svixEndpoint,
  svixEventType,
  svixHeaders,
  svixSecret,
  svixTransformation,
} from './svix-answers.ts'
import type { SvixApplication, SvixEndpoint, SvixEventType, SvixHeaders } from './svix-answers.ts'

/** Everything that can be exported from Svix, and what cannot. */
export interface SvixExport {
  readonly eventTypes: readonly SvixEventType[]
  readonly applications: readonly ExportedApplication[]
  readonly notTaken: readonly NotTaken[]
}

export interface ExportedApplication extends SvixApplication {
  readonly endpoints: readonly ExportedEndpoint[]
}

export interface ExportedEndpoint extends SvixEndpoint {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
}

/** Something that is not exported, and why. */
export interface NotTaken {
  readonly what: string
  readonly why: string
}

const noHeaders: SvixHeaders = { headers: {}, sensitive: [] }
const atOnce = 8

/** Reads everything before anything is written: an export that is refused half-way has changed nothing. */
export async function exportSvix(api: SvixApi): Promise<SvixExport> {
  const notTaken: NotTaken[] = []
  const eventTypes = await api.list('/event-type', svixEventType, { include_archived: 'true', with_content: 'true' })
  const applications: ExportedApplication[] = []
  for (const application of await api.list('/app', svixApplication)) {
    const path = `/app/${encodeURIComponent(application.id)}/endpoint`
    const listed = await api.list(path, svixEndpoint)
    const endpoints: ExportedEndpoint[] = []
    for (let start = 0; start < listed.length; start += atOnce) {
      const part = listed.slice(start, start + atOnce)
      const read = await Promise.all(part.map((endpoint) => exportEndpoint(api, path, application, endpoint)))
      endpoints.push(...read.flatMap(({ endpoint }) => endpoint ?? []))
      notTaken.push(...read.flatMap((each) => each.notTaken))
    }
    applications.push({ ...application, endpoints })
  }
  return { eventTypes, applications, notTaken }
}

async function exportEndpoint(
  api: SvixApi,
  base: string,
  application: SvixApplication,
  endpoint: SvixEndpoint,
): Promise<{ endpoint: ExportedEndpoint | null; notTaken: NotTaken[] }> {
  const path = `${base}/${encodeURIComponent(endpoint.id)}`
  const what = nameOf(application, endpoint)
  const secret = await api.find(`${path}/secret`, svixSecret)
  if (secret === null || secret.key.startsWith('whpk_')) {
    const why = 'its secret cannot be read, only the public half of a key pair; create it by hand with a new one'
    return { endpoint: null, notTaken: [{ what, why }] }
  }
  const { headers, sensitive } = (await api.find(`${path}/headers`, svixHeaders)) ?? noHeaders
  const transformation = await api.find(`${path}/transformation`, svixTransformation)
  const notTaken = sensitive.map((name) => ({
    what: `header ${name} of ${what}`,
    why: 'Svix does not show its value; set it here',
  }))
  if (transformation?.enabled === true)
    notTaken.push({ what: `transformation of ${what}`, why: 'payloads are sent as they are given' })
  return { endpoint: { ...endpoint, secret: secret.key, headers }, notTaken }
}

/** As people look for it: by the names that they gave. */
export function nameOf(application: SvixApplication, endpoint: SvixEndpoint): string {
  return `endpoint ${endpoint.uid ?? endpoint.id} of ${application.uid ?? application.id} (${endpoint.url})`
}
