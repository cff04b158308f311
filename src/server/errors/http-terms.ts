/** What the library's options are called over HTTP: the fields of the API, and the settings of the server. */
const terms: Readonly<Record<string, string>> = {
  type: 'eventType',
  types: 'eventTypes',
  ratePerSecond: 'throttleRate',
  payloadRetentionDays: 'payloadRetentionPeriod',
  overlapMs: 'gracePeriodSeconds',
  body: 'payload',
  data: 'payload',
  endpointId: 'endpoint',
  allowHttp: 'POSTHORN_ALLOW_HTTP',
  allowedTargets: 'POSTHORN_ALLOWED_TARGETS',
  enforceSchemas: 'POSTHORN_ENFORCE_SCHEMAS',
  endpointsPerApplication: 'POSTHORN_ENDPOINTS_PER_APPLICATION',
  filterSizePerApplication: 'POSTHORN_FILTER_SIZE_PER_APPLICATION',
}

/** A sentence of the library's in the caller's own terms: whoever calls over HTTP knows fields, not options. */
export function inHttpTerms(sentence: string): string {
  return sentence.replaceAll(/`([A-Za-z]+)(?=[`.])/g, (whole, name: string) =>
    Object.hasOwn(terms, name) ? `\`${terms[name] ?? name}` : whole,
  )
}
