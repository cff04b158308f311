import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { remoteClient } from '../../src/cli/http-api/remote-client.ts'
import type { Receiver } from '../../src/testing/receiver.ts'
import { temporaryFolder } from '../cli/folder.ts'
import { run } from '../cli/run.ts'
import { makeCertificate } from '../transport/certificate.ts'
import type { Certificate } from '../transport/certificate.ts'
import { openReceiver, openTransport, request, scriptedLookup } from '../transport/world.ts'
import { defence } from './defence.ts'
import { withVariables } from './variables.ts'

const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
const stranger = makeCertificate({ name: 'Nobody', isAuthority: true })
const hosts = ['receiver.test']

const certificates: Readonly<Record<string, Certificate>> = {
  expired: makeCertificate({ name: 'receiver', hosts, issuer: authority, notAfter: '20210101000000Z' }),
  'for another host': makeCertificate({ name: 'receiver', hosts: ['other.test'], issuer: authority }),
  'self-signed': makeCertificate({ name: 'receiver', hosts }),
  'of an unknown authority': makeCertificate({ name: 'receiver', hosts, issuer: stranger }),
}

for (const [what, tls] of Object.entries(certificates)) {
  defence(`TLS: an impostor whose certificate is ${what}`, async (isOn) => {
    const impostor = await openReceiver({ tls })
    if (isOn) {
      const lookup = scriptedLookup({ 'receiver.test': [['127.0.0.1']] })
      const transport = openTransport({ lookup, ca: [authority.cert] })
      await transport.send(request(`https://receiver.test:${impostor.port}/`))
    } else await postUnchecked(impostor)
    return impostor.receipts.length > 0
  })
}

defence('TLS: certificates that the environment says not to check, at an endpoint', async (isOn) => {
  const impostor = await openReceiver({ tls: certificates['self-signed']! })
  const lookup = scriptedLookup({ 'receiver.test': [['127.0.0.1']] })
  await withVariables(new Map([['NODE_TLS_REJECT_UNAUTHORIZED', '0']]), async () => {
    if (isOn) await openTransport({ lookup }).send(request(`https://receiver.test:${impostor.port}/`))
    // A client that leaves the question to Node, as most do.
    else await fetch(impostor.url(), { method: 'POST', body: '{}', headers: { connection: 'close' } })
  })
  return impostor.receipts.length > 0
})

defence(
  'TLS: certificates that the environment says not to check, at a server that is shown an API key',
  async (isOn) => {
    const impostor = await openReceiver({ tls: certificates['self-signed']!, behaviour: { status: 401, body: '{}' } })
    const server = `https://localhost:${impostor.port}`
    const variables = { NODE_TLS_REJECT_UNAUTHORIZED: '0', POSTHORN_KEY: 'phk_secret' }
    if (isOn) await run(['applications', 'ls', '--server', server], variables)
    else {
      await withVariables(new Map(Object.entries(variables)), async () =>
        remoteClient(server, 'phk_secret')
          .request('GET', '/app')
          .catch(() => null),
      )
    }
    return impostor.receipts.some(({ headers }) => headers['authorization'] === 'Bearer phk_secret')
  },
)

test.each(['serve', 'worker', 'dev', 'doctor'])(
  'posthorn %s does not start where no certificate would be checked',
  async (command) => {
    const ended = await run([command], {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      POSTHORN_DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'posthorn.db')}`,
      POSTHORN_PORT: '0',
    })
    expect(ended).toEqual({
      code: 1,
      lines: [],
      stderr:
        'posthorn: Expected `NODE_TLS_REJECT_UNAUTHORIZED` to be unset, got "0". With it, anybody could be answering. Unset it, and name your own certificate authority in NODE_EXTRA_CA_CERTS.\n',
    })
  },
)

test.each(['1', ''])('NODE_TLS_REJECT_UNAUTHORIZED=%s is nobody’s worry', async (value) => {
  expect(await run(['config'], { NODE_TLS_REJECT_UNAUTHORIZED: value })).toMatchObject({ code: 0, stderr: '' })
})

/** What a client sends that checks no certificate. */
async function postUnchecked(impostor: Receiver): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const options = { method: 'POST', rejectUnauthorized: false, agent: false as const }
    const asked = httpsRequest(impostor.url(), options, (response) => void text(response).then(() => resolve(), reject))
    asked.on('error', reject).end('{}')
  })
}
