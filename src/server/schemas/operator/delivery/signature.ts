import { z } from 'zod'
import type { SignatureReport } from '../../../../core/signing/debug/report.ts'

const mostHeaderCharacters = 16 * 1024

export const signatureIn = z
  .object({
    headers: z
      .string()
      .min(1)
      .max(mostHeaderCharacters)
      .meta({ description: 'The headers that were received, a line each, or the signature alone.' }),
    body: z.string().optional().meta({ description: 'The body, as it was received or signed.' }),
  })
  .meta({ id: 'SignatureCheckIn' })

export const signatureOut = z
  .object({
    verdict: z.enum(['match', 'mismatch', 'unreadable']),
    sentence: z.string(),
    findings: z.array(
      z.object({
        code: z.enum(['id', 'timestamp', 'body', 'content', 'encoding', 'secret', 'secret_encoding', 'expired_secret']),
        sentence: z.string(),
        sent: z.string().nullable(),
        pasted: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'SignatureCheckOut' })

export function toSignatureOut({ verdict, sentence, findings }: SignatureReport): z.input<typeof signatureOut> {
  return { verdict, sentence, findings: findings.map((finding) => ({ ...finding })) }
}
