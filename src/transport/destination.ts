import { checkUrl } from '../core/endpoint/endpoint.ts'
import { PosthornError } from '../core/errors.ts'
import { forbiddenFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import type { Guard } from './guard.ts'
import { placeOf } from './place.ts'
import type { Place } from './place.ts'

/** The meaning of a URL: where to connect and what to request there, or why it is refused. */
export type Destination = Allowed | { readonly kind: 'refused'; readonly failure: Failure }

export interface Allowed {
  readonly kind: 'allowed'
  readonly origin: string
  readonly place: Place
  readonly path: string
}

export function readDestination(text: string, guard: Guard): Destination {
  try {
    const url = checkUrl(text)
    guard.checkUrl(url)
    return { kind: 'allowed', origin: url.origin, place: placeOf(url), path: url.pathname + url.search }
  } catch (error) {
    const isForbidden = error instanceof PosthornError && error.code === 'forbidden_address'
    return {
      kind: 'refused',
      failure: isForbidden ? forbiddenFailure('it') : { kind: 'protocol', reason: 'URL cannot be called' },
    }
  }
}
