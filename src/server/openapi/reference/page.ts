import type { Json } from '../document.ts'
import { bodyOf, nameOf } from './described.ts'
import type { Described, DescribedOperation, DescribedResponse, Placed, Schemas } from './described.ts'
import { exampleOf } from './example.ts'
import { anchor, codeBlock, escaped, prose } from './html.ts'
import { operationArticle, parameters } from './operation.ts'
import { fieldsTable } from './schema.ts'
import { sectionId, sections } from './sections.ts'
import type { Section } from './sections.ts'

/** The body of the reference page. It can be read without a script. */
export function apiPage(document: Json): string {
  const described = document as unknown as Described
  const all = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const parts = sections.map((section) => ({ section, operations: all.filter((each) => isOf(section, each)) }))
  return `<div class="shell reference">
${side(parts.map(({ section, operations }) => ({ title: section.title, count: operations.length })))}
<main id="content" tabindex="-1"><div class="page">
${head(described)}
${parts.map(({ section, operations }) => operationsOf(section, operations, described.components.schemas)).join('\n')}
<p class="none" role="status"></p>
${webhooksOf(described)}
${errorsOf(described)}
${schemasOf(described)}
</div></main>
</div>`
}

function isOf({ tags }: Section, { operation }: Placed): boolean {
  return tags.includes(operation.tags?.[0] ?? '')
}

function side(parts: readonly { readonly title: string; readonly count: number }[]): string {
  const links = parts.map(
    ({ title, count }) =>
      `<li><a href="${anchor(sectionId(title))}">${escaped(title)} <span class="muted">${count}</span></a>`,
  )
  const others = ['Webhooks', 'Errors', 'Schemas'].map(
    (title) => `<li><a href="${anchor(sectionId(title))}">${title}</a>`,
  )
  return `<a class="skip button primary" href="${anchor('content')}">Skip to content</a>
<header class="side">
<a class="brand" href="./"><svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><circle cx="13" cy="18" r="7"/><path d="M3 11h17.500l8.500-5v14l-8.500-5.200"/></svg>Posthorn <span class="tag">API</span></a>
<button type="button" class="button quiet menu" aria-expanded="false" aria-controls="navigation">Menu</button>
<label class="find-operation"><span class="hidden">Filter operations</span><input type="search" placeholder="Filter operations" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label>
<div id="navigation">
<nav aria-label="Sections"><ul>${links.join('')}</ul><ul>${others.join('')}</ul></nav>
<nav aria-label="Elsewhere"><ul><li><a href="./">Dashboard</a><li><a href="api/v1/openapi.json">OpenAPI 3.1</a></ul></nav>
</div>
</header>`
}

function head({ info }: Described): string {
  return `<div class="head"><div><h1>${escaped(info.title)} API <small>${escaped(info.version)}</small></h1>
<p>${prose(info.description)}</p></div></div>
<section class="panel" aria-labelledby="begin"><h2 id="begin">Calling it</h2>
<p>Every call but those of health and sign-in needs a key: <code>authorization: Bearer phk_…</code>. Bodies are JSON. Lists are paged by <code>limit</code> and <code>iterator</code>. A POST with an <code>idempotency-key</code> can be repeated safely.</p>
${codeBlock('The key for the commands below', 'export POSTHORN_KEY=phk_…')}</section>`
}

function operationsOf({ title, sentence }: Section, operations: readonly Placed[], schemas: Schemas): string {
  const id = sectionId(title)
  return `<section class="operations" aria-labelledby="${id}"><h2 id="${id}" tabindex="-1">${escaped(title)}</h2><p class="muted">${prose(sentence)}</p>
<div class="panel">${operations.map((each) => operationArticle(each, schemas)).join('\n')}</div></section>`
}

function webhooksOf({ webhooks }: Described): string {
  return `<section class="rest" aria-labelledby="webhooks"><h2 id="webhooks" tabindex="-1">Webhooks</h2>
${Object.values(webhooks)
  .map(({ post }) => webhook(post))
  .join('\n')}</section>`
}

function webhook(post: DescribedOperation): string {
  const answers = Object.entries(post.responses).map(
    ([status, { description = '' }]) =>
      `<dt><span class="status">${escaped(status)}</span></dt><dd>${prose(description)}</dd>`,
  )
  return `<div class="panel"><p>${prose(post.summary)} ${prose(post.description)}</p>${parameters(post)}<h3>What its answer means</h3><dl class="answers">${answers.join('')}</dl></div>`
}

function errorsOf({ paths, components }: Described): string {
  const statuses = new Map<string, string>()
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref }] of Object.entries(responses)) {
      const name = $ref?.split('/').at(-1)
      if (name !== undefined) statuses.set(status, name)
    }
  }
  const rows = [...statuses]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([status, name]) => errorOf(status, components.responses[name] ?? {}))
  const examples = ['HttpErrorOut', 'HTTPValidationError'].map((name) =>
    codeBlock(name, escaped(JSON.stringify(exampleOf(components.schemas[name] ?? {}, components.schemas, 'answered')))),
  )
  return `<section class="rest" aria-labelledby="errors"><h2 id="errors" tabindex="-1">Errors</h2><div class="panel">
<p>A refusal has a code and a sentence that says what was expected, what came and what to do; a 422 names each field.</p>${examples.join('')}
<dl class="answers">${rows.join('')}</dl></div></section>`
}

function errorOf(status: string, response: DescribedResponse): string {
  const name = nameOf(bodyOf(response) ?? {}) ?? ''
  return `<dt id="error-${status}" tabindex="-1"><span class="status bad">${status}</span></dt><dd>${prose(response.description ?? '')} <a href="${anchor(name)}">${escaped(name)}</a></dd>`
}

function schemasOf({ components }: Described): string {
  const all = Object.entries(components.schemas).toSorted(([one], [other]) => one.localeCompare(other))
  const parts = all.map(
    ([name, schema]) =>
      `<details class="schema" id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${fieldsTable(schema, name)}</details>`,
  )
  return `<section class="rest" aria-labelledby="schemas"><h2 id="schemas" tabindex="-1">Schemas</h2><div class="panel schemas">${parts.join('\n')}</div></section>`
}
