/** What the commands read from the API's responses, which may contain more. */
export interface Listed<Item> {
  readonly data: readonly Item[]
  readonly iterator: string | null
  readonly done: boolean
}

export interface DeliveryResponse {
  readonly id: string
  readonly messageId: string
  readonly endpointId: string
  readonly applicationId: string
  readonly eventType: string
  readonly targetUrl: string
  readonly status: 'pending' | 'failed' | 'delivered' | 'dead'
  readonly reason: string | null
  readonly attemptCount: number
  readonly nextRetryAt: string | null
  readonly errorDetail: string | null
  readonly inFlight: boolean
  readonly createdAt: string
}

export interface DeliveryDetail extends DeliveryResponse {
  readonly why: { readonly code: string; readonly sentence: string }
  readonly maxAttempts: number
  readonly attempts: readonly AttemptResponse[]
}

export interface AttemptResponse {
  readonly number: number
  readonly startedAt: string
  readonly tookMs: number
  readonly outcome: string
  readonly statusCode: number | null
  readonly response: string | null
  readonly late: boolean
}

export interface EndpointResponse {
  readonly id: string
  readonly uid: string | null
  readonly applicationId: string
  readonly applicationUid: string | null
  readonly url: string
  readonly description: string
  readonly status: string
  /** Null for all. */
  readonly types: readonly string[] | null
  readonly policy: string
  /** Only when requested on its own; secrets are masked. */
  readonly authentication?: object | null
  readonly health: { readonly state: string; readonly sentence: string }
  readonly lastSuccessAt: string | null
  readonly backlog: number
  readonly backlogAtLeast: boolean
  readonly createdAt: string
}

export interface JobResponse {
  readonly id: string
  readonly action: 'requeue' | 'cancel' | 'replay' | 'erase'
  readonly state: 'running' | 'paused' | 'done' | 'cancelled'
  readonly matching: number
  readonly done: number
  readonly skipped: number
  readonly ratePerSecond: number | null
  readonly etaSeconds: number | null
  readonly actor: string
  readonly createdAt: string
}

export interface ApplicationResponse {
  readonly id: string
  readonly uid: string | null
  readonly name: string
  readonly throttleRate: number | null
  readonly createdAt: string
}

export interface MessageResponse {
  readonly id: string
  readonly eventType: string
  readonly eventId: string | null
  readonly channels: readonly string[] | null
  readonly timestamp: string
}

export interface AuditResponse {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly from: string | null
  readonly action: string
  readonly target: string
  readonly count: number
  readonly reason: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

export interface KeyResponse {
  readonly id: string
  readonly name: string
  readonly appId: string | null
  readonly access: string
  readonly hint: string
  readonly createdAt: string
  readonly expiresAt: string | null
}

export interface SessionResponse {
  readonly id: string
  readonly name: string
  readonly keyId: string
  readonly appId: string | null
  readonly access: string
  readonly from: string | null
  readonly createdAt: string
  readonly expiresAt: string | null
}

export interface AlarmResponse {
  readonly id: string
  readonly signal: string
  readonly severity: string
  readonly message: string
  readonly endpointId: string | null
  readonly raisedAt: string
  readonly acknowledged: { readonly by: string; readonly at: string } | null
}

export interface AlarmTargetResponse {
  readonly id: string
  readonly url: string
  readonly shape: string
  /** Null for all. */
  readonly types: readonly string[] | null
  readonly status: string
}
