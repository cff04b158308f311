import type { PosthornOptions } from 'posthorn'
import type { HandlerOptions } from 'posthorn/server'
import { expect } from 'vitest'
import { serverWorld } from '../world.ts'
import type { Asked, ServerWorld } from '../world.ts'

/** Two customers, each with an endpoint; paths may name them by uid. */
export interface RoutesWorld extends ServerWorld {
  readonly endpointId: string
  readonly foreignEndpointId: string
  /** The body of an answer with this status; any other status fails with what was said. */
  ask(status: number, method: string, path: string, body?: unknown, asked?: Asked): Promise<Body>
  /** A message for the customer. */
  message(more?: Readonly<Record<string, unknown>>): Promise<Body>
}

export type Body = Record<string, unknown>

export const url = 'https://acme.example/hooks'

export async function routesWorld(
  database: 'sqlite' | 'postgres',
  start = false,
  options: HandlerOptions = {},
  settings: Partial<PosthornOptions> = {},
): Promise<RoutesWorld> {
  const world = await serverWorld(options, database, settings)
  if (start) await world.posthorn.start()
  const ask: RoutesWorld['ask'] = async (status, method, path, body, asked = {}) => {
    // Each call has its own instant, so that what was made first has the smaller id.
    await world.clock.advance(1)
    const reply = await world.call(method, `/api/v1${path}`, { ...asked, ...(body !== undefined && { body }) })
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(world.incidents).toEqual([])
    return reply.body as Body
  }
  await ask(201, 'POST', '/app', { name: 'Acme', uid: 'acme' })
  await ask(201, 'POST', '/app', { name: 'Other', uid: 'other' })
  const { id } = await ask(201, 'POST', '/app/acme/endpoint', { url, uid: 'hooks' })
  const foreign = await ask(201, 'POST', '/app/other/endpoint', { url, uid: 'foreign' })
  return {
    ...world,
    ask,
    endpointId: String(id),
    foreignEndpointId: String(foreign['id']),
    message: (more = {}) =>
      ask(202, 'POST', '/app/acme/msg', { eventType: 'invoice.paid', payload: { total: 7 }, ...more }),
  }
}

/** The fields that a 422 names. */
export function fieldsIn(body: Body): string[] {
  const { detail } = body as { detail: { loc: (string | number)[]; msg: string; type: string }[] }
  for (const problem of detail) expect(problem.msg).toMatch(/^Expected .*[.?]$/s)
  return detail.map(({ loc }) => loc.join('.'))
}
