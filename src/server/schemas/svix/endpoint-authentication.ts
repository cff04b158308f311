import { z } from 'zod'
import { maskedAuthentication } from '../../../core/endpoint/authentication.ts'
import type { Authentication } from '../../../core/endpoint/authentication.ts'

const secret = z.string().min(1).max(4_096)
const text = z.string().min(1).max(1_024)
const pem = z.string().min(1).max(65_536)

/** Posthorn's own: Svix clients do not know it, and leave it unchanged. */
export const endpointAuthentication = z
  .object({
    basic: z
      .object({ username: z.string().max(256), password: secret })
      .nullish()
      .meta({ description: 'Sent as `Authorization: Basic …`.' }),
    bearer: secret.nullish().meta({ description: 'A token, sent as `Authorization: Bearer …`.' }),
    apiKey: z
      .object({ header: z.string().min(1).max(100), key: secret })
      .nullish()
      .meta({ description: 'Sent as a header of this name.' }),
    oauth2: z
      .object({
        tokenUrl: text,
        clientId: text,
        clientSecret: secret,
        scope: text.nullish(),
        audience: text.nullish(),
        credentialsIn: z
          .enum(['header', 'body'])
          .nullish()
          .meta({ description: 'Where the token endpoint expects id and secret; in the header if not given.' }),
      })
      .nullish()
      .meta({ description: 'Client credentials, for which a token is fetched and sent as `Authorization: Bearer …`.' }),
    clientCertificate: z
      .object({ certificate: pem, privateKey: pem })
      .nullish()
      .meta({ description: 'In PEM form; the key without a passphrase.' }),
    ca: pem.nullish().meta({ description: 'CA certificates to trust in addition to the default ones, in PEM form.' }),
  })
  .meta({
    id: 'EndpointAuthentication',
    description:
      'How we prove to the endpoint who we are: at most one of basic, bearer, apiKey and oauth2; clientCertificate and ca may be combined with it. Secrets are never shown again: responses contain *** instead.',
  })

/** The given fields, without those that are missing or null; the library says what is wrong with them. */
export function authenticationIn(
  given: z.output<typeof endpointAuthentication> | null | undefined,
): Authentication | null | undefined {
  if (given === null || given === undefined) return given
  const { basic, bearer, apiKey, oauth2, clientCertificate, ca } = given
  return {
    basic: basic ?? undefined,
    bearer: bearer ?? undefined,
    apiKey: apiKey ?? undefined,
    oauth2: oauth2Of(oauth2),
    clientCertificate: clientCertificate ?? undefined,
    ca: ca ?? undefined,
  }
}

function oauth2Of(given: z.output<typeof endpointAuthentication>['oauth2']): Authentication['oauth2'] {
  if (given === null || given === undefined) return undefined
  const { scope, audience, credentialsIn, ...needed } = given
  return {
    ...needed,
    scope: scope ?? undefined,
    audience: audience ?? undefined,
    credentialsIn: credentialsIn ?? undefined,
  }
}

export function toAuthenticationOut(
  authentication: Authentication | null,
): z.input<typeof endpointAuthentication> | null {
  return authentication === null ? null : maskedAuthentication(authentication)
}
