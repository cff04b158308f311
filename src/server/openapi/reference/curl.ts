import type { DescribedOperation, Placed, Schemas } from './described.ts'
import { bodyOf } from './described.ts'
import { valuesByParameter } from './example-values.ts'
import { exampleOf } from './example.ts'
import { prettyJson } from './html.ts'

/** The server's URL, unless the page knows it. */
export const origin = '$POSTHORN_URL'

/** The call as a command to copy and paste. */
export function curlOf({ method, path, operation }: Placed, schemas: Schemas): string {
  const body = bodyOf(operation.requestBody)
  const verb = method === 'get' || (method === 'post' && body !== undefined) ? '' : `-X ${method.toUpperCase()} `
  return [
    `curl ${verb}"${origin}${filled(path)}"`,
    ...(operation.security === undefined ? [`  -H "authorization: Bearer $POSTHORN_KEY"`] : []),
    ...(body === undefined
      ? []
      : [`  -H "content-type: application/json"`, `  -d '${requestExample(operation, schemas)}'`]),
  ].join(' \\\n')
}

/** Without an apostrophe, which would end the argument. */
function requestExample(operation: DescribedOperation, schemas: Schemas): string {
  const body = bodyOf(operation.requestBody)
  return prettyJson(exampleOf(body ?? {}, schemas, 'sent')).replaceAll("'", String.raw`\u0027`)
}

function filled(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => valuesByParameter[name] ?? whole)
}
