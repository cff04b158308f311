import { curlOf, origin } from './curl.ts'
import { bodyOf, nameOf } from './described.ts'
import type { DescribedOperation, DescribedResponse, Placed, Schema, Schemas } from './described.ts'
import { exampleOf } from './example.ts'
import { anchor, codeBlock, escaped, prettyJson, prose } from './html.ts'
import { fieldsTable, kindOf, row, table } from './schema.ts'

/** One operation: collapsed, its name and summary; expanded, its parameters and responses. */
export function operationArticle(placed: Placed, schemas: Schemas): string {
  const { method, path, operation } = placed
  const id = operation.operationId ?? ''
  const words = `${method} ${path} ${id} ${operation.summary}`.toLowerCase()
  return `<details class="operation" id="${escaped(id)}" data-words="${escaped(words)}">
<summary><span class="method ${method}">${method.toUpperCase()}</span><code class="path">${pathOf(path)}</code><span class="purpose">${prose(operation.summary)}</span></summary>
<div class="columns"><div>
<p class="muted">${prose(operation.description)} <a class="here" href="${anchor(id)}"><code>${escaped(id)}</code></a></p>
${parameters(operation)}${body(operation, schemas)}${errors(operation)}
</div><div>
${codeBlock(`curl for ${id}`, curl(placed, schemas))}
${answers(operation, schemas)}
</div></div>
</details>`
}

/** The browser knows where the page came from, and fills it in. */
function curl(placed: Placed, schemas: Schemas): string {
  return escaped(curlOf(placed, schemas)).replace(origin, `<span class="origin">${origin}</span>`)
}

/** Paths break at their slashes, and parameters are highlighted. */
function pathOf(path: string): string {
  return escaped(path)
    .replaceAll(/\{\w+\}/g, '<var>$&</var>')
    .replaceAll(/(?<!<)\//g, '<wbr>/')
}

export function parameters({ parameters: all = [] }: DescribedOperation): string {
  const groups = [...new Set(all.map((each) => each.in))].map((place) => {
    const rows = all
      .filter((each) => each.in === place)
      .map(({ name, schema, required, description }) =>
        row(name, withoutNull(schema), required === true ? 'required' : '', description ?? schema.description),
      )
    return `<h3>${titles[place] ?? place}</h3>${table(titles[place] ?? place, rows)}`
  })
  return groups.join('')
}

const titles: Readonly<Record<string, string>> = {
  path: 'In the path',
  query: 'Query parameters',
  header: 'Headers',
}

/** A parameter is given or not: a query has no null. */
function withoutNull({ anyOf, ...schema }: Schema): Schema {
  const some = (anyOf ?? []).filter(({ type }) => type !== 'null')
  if (anyOf === undefined) return schema
  return some.length === 1 ? { ...schema, ...some[0] } : { ...schema, anyOf: some }
}

function body(operation: DescribedOperation, schemas: Schemas): string {
  const schema = bodyOf(operation.requestBody)
  if (schema === undefined) return ''
  const name = nameOf(schema)
  const fields = name === undefined ? schema : (schemas[name] ?? schema)
  return `<h3>Body${name === undefined ? '' : `: ${kindOf(schema)}`}</h3>${fieldsTable(fields, 'Body')}`
}

function answers({ operationId = '', responses }: DescribedOperation, schemas: Schemas): string {
  return Object.entries(responses)
    .filter(([status]) => status < '300')
    .map(([status, response]) => answer(operationId, status, response, schemas))
    .join('')
}

function answer(id: string, status: string, response: DescribedResponse, schemas: Schemas): string {
  const schema = bodyOf(response)
  const title = `<h3><span class="status good">${status}</span> ${schema === undefined ? 'No body' : kindOf(itemOf(schema))}</h3>`
  if (schema === undefined) return title
  return `${title}${codeBlock(`Answer ${status} of ${id}`, escaped(prettyJson(exampleOf(schema, schemas, 'answered'))))}`
}

/** For a page of a list, the name of the list. */
function itemOf(schema: Schema): Schema {
  return schema.properties?.['data']?.items === undefined ? schema : schema.properties['data']
}

function errors({ responses }: DescribedOperation): string {
  const refused = Object.keys(responses).filter((status) => status >= '400')
  if (refused.length === 0) return ''
  const links = refused.map(
    (status) => `<a class="status bad" href="${anchor(`error-${status}`)}">${escaped(status)}</a>`,
  )
  return `<h3>Errors</h3><p class="statuses">${links.join(' ')}</p>`
}
