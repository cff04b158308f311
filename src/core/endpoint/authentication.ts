import { masked } from './masked-url.ts'
import { expected } from '../errors.ts'

/**
 * How we prove to an endpoint who we are, and how it proves to us who it is, beyond signature and URL.
 * At most one of `basic`, `bearer`, `apiKey` and `oauth2`; the others may be combined with it.
 */
export interface Authentication {
  /** Sent as `Authorization: Basic …`. */
  readonly basic?: { readonly username: string; readonly password: string } | undefined
  /** A token, sent as `Authorization: Bearer …`. */
  readonly bearer?: string | undefined
  /** Sent as a header of this name. */
  readonly apiKey?: { readonly header: string; readonly key: string } | undefined
  /** Client credentials, for which a token is fetched and sent as `Authorization: Bearer …`. */
  readonly oauth2?: OAuth2Client | undefined
  readonly clientCertificate?: ClientCertificate | undefined
  /** CA certificates (PEM) to trust in addition to the default ones. */
  readonly ca?: string | undefined
}

export interface OAuth2Client {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  readonly audience?: string | undefined
  /** Where the token endpoint expects id and secret: in the header (the default) or in the body. */
  readonly credentialsIn?: 'header' | 'body' | undefined
}

/** In PEM form: the certificate, followed by the intermediate ones, and its private key without a passphrase. */
export interface ClientCertificate {
  readonly certificate: string
  readonly privateKey: string
}

/** The part that the transport itself has to do; a plain header is just one of the request's headers. */
export interface TransportAuthentication extends Pick<Authentication, 'oauth2' | 'clientCertificate' | 'ca'> {
  /** The endpoint: tokens are not shared between endpoints. */
  readonly endpointId: string
}

const ways = ['basic', 'bearer', 'apiKey', 'oauth2'] as const
const parts = [...ways, 'clientCertificate', 'ca'] as const
const mostSecretLength = 4_096
const mostPemLength = 65_536

/** The authentication as stored: known fields only, and well-formed. URLs and the contents of certificates are checked elsewhere. */
export function checkAuthentication(given: unknown): Authentication {
  const fields = fieldsOf('authentication', given, parts)
  const chosen = ways.filter((way) => fields[way] !== undefined)
  if (chosen.length > 1)
    throw refused('authentication', 'only one of basic, bearer, apiKey and oauth2', chosen.join(' and '))
  const { basic, bearer, apiKey, oauth2, clientCertificate, ca } = fields
  const checked: Authentication = {
    ...(basic !== undefined && { basic: checkBasic(basic) }),
    ...(bearer !== undefined && { bearer: checkSecretText('authentication.bearer', bearer, token) }),
    ...(apiKey !== undefined && { apiKey: checkApiKey(apiKey) }),
    ...(oauth2 !== undefined && { oauth2: checkOAuth2(oauth2) }),
    ...(clientCertificate !== undefined && { clientCertificate: checkClientCertificate(clientCertificate) }),
    ...(ca !== undefined && { ca: checkPem('authentication.ca', ca) }),
  }
  if (Object.keys(checked).length > 0) return checked
  throw refused('authentication', `one or more of ${parts.join(', ')}`, 'nothing', 'Give null to take it away.')
}

/** The header that carries it; null if there is none, or if the transport adds it. */
export function authenticationHeader({ basic, bearer, apiKey }: Authentication): [name: string, value: string] | null {
  if (basic !== undefined) return ['authorization', `Basic ${base64(`${basic.username}:${basic.password}`)}`]
  if (bearer !== undefined) return ['authorization', `Bearer ${bearer}`]
  return apiKey === undefined ? null : [apiKey.header, apiKey.key]
}

/** The name of the header with the credentials; null if there is none. */
export function authenticationHeaderName(authentication: Authentication): string | null {
  if (authentication.oauth2 !== undefined) return 'authorization'
  return authenticationHeader(authentication)?.[0] ?? null
}

/** The part that the transport must know; null if it has nothing to do. */
export function transportAuthentication(
  { oauth2, clientCertificate, ca }: Authentication,
  endpointId: string,
): TransportAuthentication | null {
  if (oauth2 === undefined && clientCertificate === undefined && ca === undefined) return null
  return { endpointId, oauth2, clientCertificate, ca }
}

/** As shown to people, with every secret masked. Certificates are public, and shown in full. */
export function maskedAuthentication(authentication: Authentication): Authentication {
  const { basic, bearer, apiKey, oauth2, clientCertificate, ca } = authentication
  return {
    ...(basic !== undefined && { basic: { username: basic.username, password: masked } }),
    ...(bearer !== undefined && { bearer: masked }),
    ...(apiKey !== undefined && { apiKey: { header: apiKey.header, key: masked } }),
    ...(oauth2 !== undefined && { oauth2: { ...oauth2, clientSecret: masked } }),
    ...(clientCertificate !== undefined && {
      clientCertificate: { certificate: clientCertificate.certificate, privateKey: masked },
    }),
    ...(ca !== undefined && { ca }),
  }
}

const printable = /^[\x20-\x7e]+$/
// The characters that RFC 6750 allows in a header.
const token = /^[\w.~+/-]+=*$/

function checkBasic(given: unknown): NonNullable<Authentication['basic']> {
  const { username, password } = fieldsOf('authentication.basic', given, ['username', 'password'])
  if (typeof username !== 'string' || username.length > 256 || !/^[^\p{Cc}:]*$/u.test(username))
    throw refused('authentication.basic.username', 'text of at most 256 characters without a colon', username)
  return { username, password: checkSecretText('authentication.basic.password', password, /^\P{Cc}*$/u) }
}

function checkApiKey(given: unknown): NonNullable<Authentication['apiKey']> {
  const { header, key } = fieldsOf('authentication.apiKey', given, ['header', 'key'])
  if (typeof header !== 'string')
    throw refused('authentication.apiKey.header', 'the name of a header, such as x-api-key', header)
  return { header, key: checkSecretText('authentication.apiKey.key', key, printable) }
}

function checkOAuth2(given: unknown): OAuth2Client {
  const known = ['tokenUrl', 'clientId', 'clientSecret', 'scope', 'audience', 'credentialsIn']
  const fields = fieldsOf('authentication.oauth2', given, known)
  const { tokenUrl, clientId, clientSecret, scope, audience, credentialsIn } = fields
  if (credentialsIn !== undefined && credentialsIn !== 'header' && credentialsIn !== 'body')
    throw refused('authentication.oauth2.credentialsIn', '"header" or "body"', credentialsIn)
  return {
    tokenUrl: checkText('authentication.oauth2.tokenUrl', tokenUrl),
    clientId: checkText('authentication.oauth2.clientId', clientId),
    clientSecret: checkSecretText('authentication.oauth2.clientSecret', clientSecret, printable),
    ...(scope !== undefined && { scope: checkText('authentication.oauth2.scope', scope) }),
    ...(audience !== undefined && { audience: checkText('authentication.oauth2.audience', audience) }),
    ...(credentialsIn !== undefined && { credentialsIn }),
  }
}

function checkClientCertificate(given: unknown): ClientCertificate {
  const name = 'authentication.clientCertificate'
  const { certificate, privateKey } = fieldsOf(name, given, ['certificate', 'privateKey'])
  refuseMask(`${name}.privateKey`, privateKey)
  return {
    certificate: checkPem(`${name}.certificate`, certificate),
    privateKey: checkPem(`${name}.privateKey`, privateKey),
  }
}

function checkPem(name: string, given: unknown): string {
  if (typeof given === 'string' && given.length <= mostPemLength && /^-----BEGIN [A-Z0-9 ]+-----$/m.test(given))
    return given
  const advice = 'It begins with a line such as -----BEGIN CERTIFICATE-----.'
  throw refused(name, `text in PEM form of at most ${mostPemLength} characters`, kindOf(given), advice)
}

function checkText(name: string, given: unknown): string {
  if (typeof given === 'string' && given.length <= 1_024 && printable.test(given)) return given
  throw refused(name, '1 to 1024 printable ASCII characters', given)
}

function checkSecretText(name: string, given: unknown, form: RegExp): string {
  refuseMask(name, given)
  if (typeof given === 'string' && given !== '' && given.length <= mostSecretLength && form.test(given)) return given
  const characters = form === printable ? 'printable ASCII characters' : 'characters that a header can carry'
  throw refused(name, `1 to ${mostSecretLength} ${characters}`, kindOf(given))
}

function refuseMask(name: string, given: unknown): void {
  if (given !== masked) return
  const advice = 'Give the secret itself, or leave `authentication` out to keep it as it is.'
  throw refused(name, 'a secret', 'the mask that stands for one', advice)
}

/** The fields of an object, refusing unknown ones; null counts as not given. */
function fieldsOf(name: string, given: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw refused(name, `an object with ${known.join(', ')}`, kindOf(given))
  const unknown = Object.keys(given).find((field) => !known.includes(field))
  if (unknown !== undefined) throw refused(name, `an object with ${known.join(', ')}`, unknown)
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined))
}

/** The kind of value that was given, without its content: it may be a secret. */
function kindOf(given: unknown): unknown {
  if (typeof given !== 'string') return given
  return given === '' ? 'an empty text' : `a text of ${given.length} characters`
}

function refused(name: string, wanted: string, got: unknown, advice = ''): Error {
  return expected('invalid_argument', name, wanted, got, advice)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
