import type { EndpointDetail } from '../../../api/answers.ts'

export type Authentication = NonNullable<EndpointDetail['authentication']>
export type Method = 'none' | 'bearer' | 'basic' | 'apiKey' | 'oauth2'

/** A field of an authentication method; its name is its path in `authentication`. */
export interface AuthenticationField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  readonly isSecret?: true
  readonly isOptional?: true
}

export const methodNames: Readonly<Record<Method, string>> = {
  none: 'None beyond the signature',
  bearer: 'Bearer token',
  basic: 'Basic: user name and password',
  apiKey: 'API key in a header',
  oauth2: 'OAuth2 client credentials',
}

export const methodFields: Readonly<Record<Method, readonly AuthenticationField[]>> = {
  none: [],
  bearer: [{ name: 'bearer', label: 'Token', isSecret: true }],
  basic: [
    { name: 'basic.username', label: 'User name' },
    { name: 'basic.password', label: 'Password', isSecret: true },
  ],
  apiKey: [
    { name: 'apiKey.header', label: 'Header', placeholder: 'x-api-key' },
    { name: 'apiKey.key', label: 'Key', isSecret: true },
  ],
  oauth2: [
    { name: 'oauth2.tokenUrl', label: 'Token URL', placeholder: 'https://login.example.com/token' },
    { name: 'oauth2.clientId', label: 'Client id' },
    { name: 'oauth2.clientSecret', label: 'Client secret', isSecret: true },
    { name: 'oauth2.scope', label: 'Scope', isOptional: true },
    { name: 'oauth2.audience', label: 'Audience', isOptional: true },
  ],
}

/** The method in use. */
export function methodOf(authentication: Authentication | null): Method {
  if (authentication === null) return 'none'
  const { bearer, basic, apiKey, oauth2 } = authentication
  const inUse = { bearer, basic, apiKey, oauth2 }
  return (['bearer', 'basic', 'apiKey', 'oauth2'] as const).find((way) => !isAbsent(inUse[way])) ?? 'none'
}

/** The value at a path, as text; that of a secret is `***`. */
export function valueAt(authentication: Authentication | null, name: string): string {
  let value: unknown = authentication
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null) return ''
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return typeof value === 'string' ? value : ''
}

/** The values of the form as the API takes them; null for no authentication. */
export function authenticationIn(values: (name: string) => string): Record<string, unknown> | null {
  const given: Record<string, unknown> = {}
  const names = [
    ...methodFields[asMethod(values('method'))].map(({ name }) => name),
    ...(values('method') === 'oauth2' ? ['oauth2.credentialsIn'] : []),
    'clientCertificate.certificate',
    'clientCertificate.privateKey',
    'ca',
  ]
  for (const name of names) if (values(name) !== '') put(given, name, values(name))
  return Object.keys(given).length === 0 ? null : given
}

/** True once all required fields are filled in: before that, a check would only complain about the missing ones. */
export function isComplete(values: (name: string) => string): boolean {
  const needed = methodFields[asMethod(values('method'))].filter(({ isOptional }) => isOptional !== true)
  const hasCertificate = values('clientCertificate.certificate') !== ''
  return (
    needed.every(({ name }) => values(name) !== '') &&
    hasCertificate === (values('clientCertificate.privateKey') !== '')
  )
}

function asMethod(text: string): Method {
  return (['bearer', 'basic', 'apiKey', 'oauth2'] as const).find((method) => method === text) ?? 'none'
}

function put(given: Record<string, unknown>, name: string, value: string): void {
  const [first = '', second] = name.split('.')
  if (second === undefined) given[first] = value
  else given[first] = { ...(given[first] as Record<string, unknown> | undefined), [second]: value }
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}
