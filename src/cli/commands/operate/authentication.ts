import type { Authentication } from '../../../core/endpoint/authentication.ts'
import { expected } from '../../../core/errors.ts'
import { textOption } from '../../command.ts'
import type { CommandOptions, Option } from '../../command.ts'
import { readSecret } from '../../read-file.ts'

/** Flags for an endpoint's authentication. Secrets come from files: everybody on the machine could read the command line. */
export const authenticationOptions: Readonly<Record<string, Option>> = {
  auth: {
    type: 'string',
    value: 'how',
    sentence:
      'bearer:<file>, basic:<user>:<file>, api-key:<header>:<file>, a .json file with the authentication, or none',
  },
  'client-cert': { type: 'string', value: 'path', sentence: 'the client certificate to present (PEM)' },
  'client-key': { type: 'string', value: 'path', sentence: 'its private key (PEM)' },
  ca: { type: 'string', value: 'path', sentence: 'CA certificates to trust in addition to the default ones (PEM)' },
}

/** The authentication from the flags; undefined if there are none, null to remove it. */
export function authenticationIn(options: CommandOptions): object | null | undefined {
  const how = textOption(options, 'auth')
  if (how === 'none') return null
  const certificates = certificatesIn(options)
  if (how === undefined && Object.keys(certificates).length === 0) return undefined
  return { ...(how === undefined ? {} : credentialsIn(how)), ...certificates }
}

function certificatesIn(options: CommandOptions): Pick<Authentication, 'clientCertificate' | 'ca'> {
  const [certificate, privateKey, ca] = ['client-cert', 'client-key', 'ca'].map((name) => textOption(options, name))
  if ((certificate === undefined) !== (privateKey === undefined)) {
    const missing = certificate === undefined ? '--client-key alone' : '--client-cert alone'
    throw expected('invalid_argument', '--client-cert', 'given together with --client-key', missing)
  }
  return {
    ...(certificate !== undefined &&
      privateKey !== undefined && {
        clientCertificate: {
          certificate: readSecret(certificate, 'client-cert'),
          privateKey: readSecret(privateKey, 'client-key'),
        },
      }),
    ...(ca !== undefined && { ca: readSecret(ca, 'ca') }),
  }
}

function credentialsIn(how: string): object {
  const [kind = '', name = '', ...rest] = how.split(':')
  if (kind === 'bearer') return { bearer: readSecret([name, ...rest].join(':'), 'auth') }
  const path = rest.join(':')
  if (kind === 'basic' && path !== '') return { basic: { username: name, password: readSecret(path, 'auth') } }
  if (kind === 'api-key' && path !== '') return { apiKey: { header: name, key: readSecret(path, 'auth') } }
  if (how.endsWith('.json')) return jsonIn(how)
  const wanted = 'bearer:<file>, basic:<user>:<file>, api-key:<header>:<file>, a .json file or none'
  // If somebody passes a secret instead of its file, it must not end up in a log.
  throw expected('invalid_argument', '--auth', wanted, `another text of ${how.length} characters`)
}

function jsonIn(path: string): object {
  const text = readSecret(path, 'auth')
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Text that cannot be parsed is refused below, without repeating it.
  }
  throw expected('invalid_argument', '--auth', 'a file with a JSON object', 'a file with something else')
}
