const ids = {
  app: 'app_01kqsb7r3j0000m5v8e2w4x6y9',
  ep: 'ep_01kqsb7r3k0000n6w9f3x5y7z1',
  msg: 'msg_01kqsb7r3m0000p7x1g4y6z8a2',
  atmpt: 'atmpt_01kqsb7r3n0000q8y2h5z7a9b3',
  dlv: 'dlv_01kqsb7r3p0000r9z3j6a8b1c4',
  job: 'job_01kqsb7r3q0000s1a4k7b9c2d5',
  key: 'key_01kqsb7r3r0000t2b5m8c1d3e6',
} as const

const noon = '2026-05-04T12:00:00Z'

/** Values of path parameters. */
export const valuesByParameter: Readonly<Record<string, string>> = {
  app_id: 'acme',
  endpoint_id: ids.ep,
  msg_id: ids.msg,
  attempt_id: ids.atmpt,
  delivery_id: ids.dlv,
  job_id: ids.job,
  task_id: ids.job,
  key_id: ids.key,
  event_type_name: 'invoice.paid',
  alarm_id: 'backlog',
}

type Values = Readonly<Record<string, unknown>>

/** Values of fields whose meaning depends on the schema; the first match is used. */
export const valuesBySchema: readonly (readonly [pattern: RegExp, values: Values])[] = [
  [/^EventType/, { name: 'invoice.paid', description: 'An invoice was paid in full.' }],
  [/^MessageAttempt|^DeliveryAttempt/, { id: ids.atmpt }],
  [/^EndpointMessage|^Message(?!Endpoint)|^messages?$/, { id: ids.msg }],
  [/Endpoint|endpoint|AlarmTarget/, { id: ids.ep, uid: 'accounting', headers: { 'x-tenant': 'acme' } }],
  [/Application|application/, { id: ids.app, uid: 'acme', name: 'Acme' }],
  [/Delivery/, { id: ids.dlv, reason: null, status: 'pending' }],
  [/Job|Task|Recover/, { id: ids.job }],
  [/Key/, { id: ids.key, name: 'CI', token: 'phk_…', hint: 'phk_7f3a' }],
  [/^Session/, { key: 'phk_…', name: 'CI' }],
  [/^FilterTrial/, { filter: { path: 'data.currency', equals: 'EUR' } }],
  [/^EndpointSecret/, { key: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }],
  [/^HttpError/, { code: 'not_found', detail: 'Expected an endpoint of this application, got ep_404.' }],
  [/^ValidationError/, { loc: ['body', 'url'], msg: 'Expected a URL, got "shop".', type: 'value_error' }],
  [/^Worker/, { id: 'web-1:4711', pid: 4711 }],
  [/^policies$/, { name: 'default' }],
]

/** Usual values of fields by their name. */
export const valuesByName: Values = {
  appId: ids.app,
  applicationId: ids.app,
  applicationName: 'Acme',
  applicationUid: 'acme',
  endpointId: ids.ep,
  deliveryId: ids.dlv,
  keyId: ids.key,
  messageId: ids.msg,
  msgId: ids.msg,
  channels: ['eu'],
  description: 'The accounting system',
  eventId: 'invoice-1042',
  eventType: 'invoice.paid',
  eventTypes: ['invoice.paid'],
  types: ['invoice.paid'],
  payload: { type: 'invoice.paid', data: { invoice: 1042 } },
  targetUrl: 'https://example.com/webhooks',
  url: 'https://example.com/webhooks',
  uid: 'acme',
  name: 'Acme',
  reason: 'The customer has repaired their server',
  sentence: 'All is well.',
  done: true,
  since: noon,
  lastSuccessAt: noon,
  status: 'active',
  host: 'web-1',
  from: '203.0.113.7',
  address: '203.0.113.9',
  actor: 'CI',
  response: '{"ok":true}',
  responseStatusCode: 200,
  statusCode: 200,
  responseDurationMs: 84,
  tookMs: 84,
  attemptCount: 1,
  delivered: 128,
  matching: 12,
  policy: 'default',
}
