import { maskedAuthentication } from '../../core/endpoint/authentication.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'

/** An endpoint as people see it, without its credentials. */
export function shown(endpoint: Endpoint): Endpoint {
  const { authentication } = endpoint
  return authentication === null ? endpoint : { ...endpoint, authentication: maskedAuthentication(authentication) }
}
