// Serves a route handler as Next.js calls it: a Request comes in, a Response goes out. Arguments: its file, a port.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serve } from '@hono/node-server'

const [file, port] = process.argv.slice(2)
const methods = await import(pathToFileURL(resolve(file)).href)
serve({ fetch: (request) => methods[request.method](request), hostname: '127.0.0.1', port: Number(port) })
