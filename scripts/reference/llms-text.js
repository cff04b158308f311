/** docs/llms.txt: the available pages, for programs that read them (llmstxt.org). */
export function llmsText(navigation) {
  return [
    '# Posthorn',
    '',
    '> Outbound webhooks you can rely on: signed, retried with backoff and jitter, dead-lettered, recovered after any crash. A library for Node, a server whose HTTP API the Svix clients speak, a dashboard and a command line; on SQLite or PostgreSQL. MIT.',
    '',
    'Install with `npm install posthorn`, run the server with `npx posthorn serve`. Delivery is at least once; repeats carry the same `webhook-id`; order is not promised. Every snippet on these pages is run by `npm run docs:check`.',
    '',
    ...navigation.flatMap(({ title, pages }) => [
      `## ${title}`,
      '',
      ...pages.map(({ path, name, sentence }) => `- [${name}](${path}): ${sentence}`),
      '',
    ]),
  ].join('\n')
}
