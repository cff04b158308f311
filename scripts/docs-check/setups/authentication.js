// A shop, and files with the credentials that endpoints require.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openShop } from './shop.js'

export async function openAuthentication(own) {
  for (const name of ['token.txt', 'password.txt', 'key.txt'])
    writeFileSync(join(own.folder, name), 'a-secret-of-the-receiver\n', { mode: 0o600 })
  const openssl = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=docs', '-days', '2']
  for (const [certificate, key] of [
    ['cert.pem', 'key.pem'],
    ['authority.pem', 'authority-key.pem'],
  ])
    execFileSync('openssl', [...openssl, '-out', certificate, '-keyout', key], { cwd: own.folder, stdio: 'ignore' })
  await openShop(own)
}
