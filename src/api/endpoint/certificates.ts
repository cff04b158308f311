import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Authentication, ClientCertificate } from '../../core/endpoint/authentication.ts'
import { expected } from '../../core/errors.ts'
import { isoTime } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'

const mostCertificates = 20
const certificateName = 'authentication.clientCertificate.certificate'
const keyName = 'authentication.clientCertificate.privateKey'

/** Refuses certificates that could never connect: an attempt has nobody to report the error to. */
export function checkCertificates({ clientCertificate, ca }: Authentication, now: Instant): void {
  if (clientCertificate !== undefined) checkClientCertificate(clientCertificate, now)
  if (ca !== undefined) readCertificates('authentication.ca', ca, now)
}

function checkClientCertificate({ certificate, privateKey }: ClientCertificate, now: Instant): void {
  const [own] = readCertificates(certificateName, certificate, now)
  const key = readKey(privateKey)
  if (own !== undefined && own.checkPrivateKey(key)) return
  const advice = 'The certificate of the key comes first; those of its authorities follow.'
  throw expected('invalid_argument', keyName, 'the key of the certificate', 'that of another', advice)
}

/** All certificates in a text; each must be valid now. */
function readCertificates(name: string, text: string, now: Instant): X509Certificate[] {
  if (text.includes('PRIVATE KEY-----')) {
    const advice = 'Certificates are shown to everybody who may see the endpoint; remove the key.'
    throw expected('invalid_argument', name, 'certificates only', 'a private key among them', advice)
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0 || blocks.length > mostCertificates) {
    const got = blocks.length === 0 ? 'a text without one' : blocks.length
    throw expected('invalid_argument', name, `1 to ${mostCertificates} certificates in PEM form`, got)
  }
  const certificates = blocks.map((block) => readCertificate(name, block))
  for (const certificate of certificates) checkTime(name, certificate, now)
  return certificates
}

function readCertificate(name: string, block: string): X509Certificate {
  try {
    return new X509Certificate(block)
  } catch {
    throw expected('invalid_argument', name, 'an X.509 certificate in PEM form', 'one that cannot be read')
  }
}

function checkTime(name: string, { validFrom, validTo }: X509Certificate, now: Instant): void {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  if (to <= now)
    throw expected('invalid_argument', name, 'valid now', `one that expired at ${isoTime(to)}`, 'Give its successor.')
  if (from > now) throw expected('invalid_argument', name, 'valid now', `one that becomes valid at ${isoTime(from)}`)
}

function readKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) {
    const advice = 'Decrypt it first: openssl pkey -in key.pem. It is sealed before it is stored.'
    throw expected('invalid_argument', keyName, 'a private key without a passphrase', 'an encrypted one', advice)
  }
  try {
    return createPrivateKey(text)
  } catch {
    throw expected('invalid_argument', keyName, 'a private key in PEM form', 'one that cannot be read')
  }
}
