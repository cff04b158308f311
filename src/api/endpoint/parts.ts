import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import type { RetryPolicy } from '../../core/delivery/retry-policy.ts'
import type { SignatureScheme } from '../../core/signing/signature.ts'
import type { ResourceParts } from '../parts.ts'
import type { EndpointQuotas } from './quotas.ts'

/** What the calls about endpoints depend on. */
export interface EndpointParts extends ResourceParts {
  readonly policies: ReadonlyMap<string, RetryPolicy>
  readonly defaults: { readonly policy: string; readonly signature: SignatureScheme }
  /** The prefix of the signature's header names. */
  readonly headerPrefix: string
  /** Throws if the address is not allowed. */
  readonly checkUrl: (url: URL) => void
  readonly quotas: EndpointQuotas
  readonly applicationId: (idOrUid: string) => Promise<string>
  /** Informs the engine at once; the tick would find out anyway. */
  readonly changed: (endpointId: string) => Promise<void>
  /** Sends a message of the application to this endpoint only. Returns the message's id. */
  readonly sendTo: (endpoint: Endpoint, type: string, payload: string) => Promise<string>
}
