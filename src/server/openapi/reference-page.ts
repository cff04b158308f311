import type { Json } from './document.ts'

/** The description of the API as one page to read: no script, nothing from elsewhere. */
export function apiPage(document: Json, basePath: string): string {
  const { info, paths, components, webhooks } = document as unknown as Document
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method, call })),
  )
  const tags = [...new Set(calls.map(({ call }) => call.tags[0] ?? ''))]
  const sections = tags.map((tag) =>
    section(
      tag,
      calls.filter(({ call }) => call.tags[0] === tag),
    ),
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(info.title)} API</title>
<style>${style}</style>
<h1>${escaped(info.title)} API <small>${escaped(info.version)}</small></h1>
<p>${escaped(info.description)} The same as <a href="${basePath}/api/v1/openapi.json">OpenAPI 3.1</a>.</p>
<nav>${tags.map((tag) => `<a href="#${escaped(tag)}">${escaped(tag)}</a>`).join(' ')} <a href="#webhooks">webhooks</a> <a href="#schemas">schemas</a></nav>
${sections.join('\n')}
<h2 id="webhooks">webhooks</h2>
${Object.values(webhooks)
  .map(({ post }) => called('What an endpoint gets', post))
  .join('\n')}
<h2 id="schemas">schemas</h2>
${Object.entries(components.schemas)
  .map(([name, schema]) => `<h3 id="${escaped(name)}">${escaped(name)}</h3>\n${table(schema)}`)
  .join('\n')}
</html>
`
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Described {
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content; readonly $ref?: string }>
  >
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

function section(tag: string, calls: readonly { path: string; method: string; call: Described }[]): string {
  return `<h2 id="${escaped(tag)}">${escaped(tag)}</h2>\n${calls.map(({ path, method, call }) => called(`${method.toUpperCase()} ${path}`, call)).join('\n')}`
}

function called(title: string, { summary, description, parameters = [], requestBody, responses }: Described): string {
  const asked = parameters.map(
    (each) =>
      `<li><code>${escaped(each.name)}</code> (${each.in}${each.required === true ? ', required' : ''}): ${each.description === undefined ? kind(each.schema) : escaped(each.description)}</li>`,
  )
  const answers = Object.entries(responses).map(([status, { description: said, content, $ref }]) => {
    const schema = content?.['application/json']?.schema
    return `<li><code>${status}</code> ${schema === undefined ? escaped($ref?.split('/').at(-1) ?? said ?? '') : kind(schema)}</li>`
  })
  const body = requestBody?.content['application/json']?.schema
  return `<details><summary><code>${escaped(title)}</code> ${escaped(summary)}</summary>
<p>${escaped(description)}</p>
<ul>${asked.join('')}${body === undefined ? '' : `<li>body: ${kind(body)}</li>`}</ul>
<ul>${answers.join('')}</ul></details>`
}

function table(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, each]) => {
    const mark = schema.required?.includes(name) === true ? 'required' : ''
    return `<tr><td><code>${escaped(name)}</code><td>${kind(each)}<td>${mark}<td>${escaped(each.description ?? '')}`
  })
  return rows.length === 0
    ? `<p>${kind(schema)} ${escaped(schema.description ?? '')}</p>`
    : `<table>${rows.join('\n')}</table>`
}

/** What a value is, in a word or a link. */
function kind(schema: Schema): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return `<a href="#${escaped(name)}">${escaped(name)}</a>`
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escaped(JSON.stringify(value))}</code>`).join(' or ')
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`
  if (schema.anyOf !== undefined) return schema.anyOf.map(kind).join(' or ')
  if (schema.items !== undefined) return `list of ${kind(schema.items)}`
  const types = schema.type === undefined ? ['any'] : [schema.type].flat()
  return escaped(`${types.join(' or ')}${schema.format === undefined ? '' : ` (${schema.format})`}`)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code { font: 0.9em ui-monospace, monospace; }
summary { cursor: pointer; padding: 0.2rem 0; }
table { border-collapse: collapse; }
td { padding: 0.15rem 1rem 0.15rem 0; vertical-align: top; }
nav a { margin-right: 0.5rem; }
`
