export const mutant = {
  says: 'A 410 of the old URL disables an endpoint whose new health, but not yet its new URL, is known.',
  joins: 'health × edit',
  file: 'src/stores/shared/health.ts',
  find: "where id = ${endpointId} and url = ${url} and status = 'active'",
  replace: "where id = ${endpointId} and status = 'active'",
  caughtBy: {
    file: 'test/stores/sqlite.test.ts',
    title: 'an endpoint is disabled if it still has the URL and the generation of health that were judged',
  },
}
