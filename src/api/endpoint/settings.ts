import { checkAuthentication } from '../../core/endpoint/authentication.ts'
import { checkEndpoint, checkUrl } from '../../core/endpoint/endpoint.ts'
import type { Endpoint, EndpointSettings, EndpointStatus } from '../../core/endpoint/endpoint.ts'
import { expected, PosthornError } from '../../core/errors.ts'
import { makeId } from '../../core/ids.ts'
import { checkScheme, defaultBodyHeader } from '../../core/signing/signature.ts'
import { actor } from '../actor.ts'
import type { By } from '../actor.ts'
import { checkApplication } from '../applications.ts'
import { given } from '../../core/given.ts'
import { refuseUnknown } from '../input/unknown-options.ts'
import { checkCertificates } from './certificates.ts'
import { findEndpoint, found } from './find.ts'
import type { EndpointName } from './find.ts'
import type { EndpointParts } from './parts.ts'
import { secretOr } from './secrets.ts'

export type EndpointInput = Pick<EndpointSettings, 'url'> & Partial<Omit<EndpointSettings, 'url'>>

/** The settings of a new endpoint. */
export type NewEndpoint = EndpointInput & {
  readonly application: string
  readonly secret?: string
  readonly status?: 'active' | 'paused' | 'disabled'
}

const settingNames = [
  'uid',
  'url',
  'description',
  'types',
  'channels',
  'filter',
  'headers',
  'authentication',
  'metadata',
  'policy',
  'signature',
  'bodyHeader',
  'ratePerSecond',
] as const satisfies readonly (keyof EndpointSettings)[]

export async function createEndpoint(
  parts: EndpointParts,
  { application, secret, status = 'active', ...input }: NewEndpoint,
  by: By,
): Promise<Endpoint> {
  const { ready, directory, clock, random } = parts
  refuseUnknown('endpoints.create', input, [...settingNames, 'application', 'secret', 'status'])
  if (!['active', 'paused', 'disabled'].includes(status))
    throw expected('invalid_argument', 'status', 'active, paused or disabled', status)
  const settings = { ...blank(parts.defaults), ...given(input), ...checkedAuthentication(parts, input) }
  checkSettings(parts, settings)
  checkApplication(application)
  const value = secretOr(secret)
  checkScheme(settings.signature, value)
  await ready()
  const applicationId = await parts.applicationId(application)
  const now = clock.now()
  const endpoint: Endpoint = {
    ...settings,
    createdAt: now,
    updatedAt: now,
    id: makeId('ep', now, random),
    applicationId,
    status,
    statusReason: reasonOf(status, by),
    statusSince: now,
    secrets: [{ id: makeId('sec', now, random), value, createdAt: now, expiresAt: null }],
  }
  const change = { applicationId, endpointId: null, filter: endpoint.filter }
  return parts.quotas.within(change, () => directory.createEndpoint(endpoint, actor(by)))
}

export async function updateEndpoint(
  parts: EndpointParts,
  name: EndpointName,
  change: Partial<EndpointSettings>,
  by: By,
): Promise<Endpoint> {
  const audited = { action: 'endpoint.update', by: actor(by) } as const
  const endpoint = found(
    await checkedUpdate(parts, name, change, ({ id }, checked) =>
      parts.directory.updateEndpoint(id, checked, parts.clock.now(), audited),
    ),
    name,
  )
  await parts.changed(endpoint.id)
  return endpoint
}

/** Refuses what an update would refuse. */
export async function checkUpdate(
  parts: EndpointParts,
  name: EndpointName,
  change: Partial<EndpointSettings>,
): Promise<void> {
  await checkedUpdate(parts, name, change, async () => undefined)
}

/** Checks a change, then passes it on. */
async function checkedUpdate<Done>(
  parts: EndpointParts,
  name: EndpointName,
  change: Partial<EndpointSettings>,
  update: (before: Endpoint, checked: Partial<EndpointSettings>) => Promise<Done>,
): Promise<Done> {
  refuseUnknown('endpoints.update', change, settingNames)
  const checked = { ...given(change), ...checkedAuthentication(parts, change) }
  const before = await findEndpoint(parts, name)
  const after = { ...settingsOf(before), ...checked }
  checkSettings(parts, after)
  const lasting = before.secrets.find(({ expiresAt }) => expiresAt === null)
  if (lasting !== undefined) checkScheme(after.signature, lasting.value)
  if ((change.filter ?? null) === null) return update(before, checked)
  const { id: endpointId, applicationId } = before
  return parts.quotas.within({ applicationId, endpointId, filter: after.filter }, () => update(before, checked))
}

/** Certificates are checked when they are set: a stored one may expire, and is not refused then. */
function checkedAuthentication(
  parts: EndpointParts,
  { authentication }: Partial<EndpointSettings>,
): Partial<Pick<EndpointSettings, 'authentication'>> {
  if (authentication === undefined || authentication === null) return {}
  const checked = checkAuthentication(authentication)
  checkCertificates(checked, parts.clock.now())
  if (checked.oauth2 !== undefined) checkTokenUrl(parts, checked.oauth2.tokenUrl)
  return { authentication: checked }
}

/** A token endpoint must be as public as an endpoint. */
function checkTokenUrl({ checkUrl: guard }: EndpointParts, tokenUrl: string): void {
  const name = 'authentication.oauth2.tokenUrl'
  const url = checkUrl(tokenUrl, name)
  try {
    guard(url)
  } catch (error) {
    if (!(error instanceof PosthornError)) throw error
    throw new PosthornError(error.code, error.message.replace('`url`', `\`${name}\``), { cause: error })
  }
}

/** Why an endpoint is not active, if somebody said so. */
export function reasonOf(status: EndpointStatus, { by, reason }: By): string | null {
  if (status === 'active' || by === undefined) return null
  return `by ${by}${reason === undefined ? '' : `: ${reason}`}`
}

function checkSettings({ policies, headerPrefix, checkUrl: guard }: EndpointParts, settings: EndpointSettings): void {
  checkEndpoint(settings, headerPrefix)
  guard(new URL(settings.url))
  if (!policies.has(settings.policy))
    throw expected('unknown_policy', 'policy', `one of ${[...policies.keys()].join(', ')}`, settings.policy)
}

function blank({ policy, signature }: EndpointParts['defaults']): Omit<EndpointSettings, 'url'> {
  return {
    uid: null,
    description: '',
    types: [],
    channels: [],
    filter: null,
    headers: {},
    authentication: null,
    metadata: {},
    policy,
    signature,
    bodyHeader: defaultBodyHeader,
    ratePerSecond: null,
  }
}

function settingsOf(endpoint: Endpoint): EndpointSettings {
  const {
    uid,
    url,
    description,
    types,
    channels,
    filter,
    headers,
    authentication,
    metadata,
    policy,
    signature,
    bodyHeader,
    ratePerSecond,
  } = endpoint
  return {
    uid,
    url,
    description,
    types,
    channels,
    filter,
    headers,
    authentication,
    metadata,
    policy,
    signature,
    bodyHeader,
    ratePerSecond,
  }
}
