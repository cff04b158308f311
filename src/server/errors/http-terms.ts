/** The names of the library's options over HTTP: fields of the API, and settings of the server. */
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

/** Translates one of the library's sentences into the caller's terms: HTTP callers know fields, not options. */
export function inHttpTerms(sentence: string): string {
  return sentence.replaceAll(/`([A-Za-z]+)(?=[`.])/g, (whole, name: string) =>
    Object.hasOwn(terms, name) ? `\`${terms[name] ?? name}` : whole,
  )
}
