import { wholeNumber } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** How long ended deliveries are kept. */
export const retentionSettings = {
  historyDays: {
    env: ['POSTHORN_HISTORY_DAYS'],
    default: 30,
    unit: 'days',
    sentence: 'How long delivered deliveries are kept, with their attempts, and messages without deliveries.',
    read: wholeNumber(1, 3_650),
  },
  deadLetterDays: {
    env: ['POSTHORN_DEAD_LETTER_DAYS'],
    default: 90,
    unit: 'days',
    sentence: 'How long dead letters are kept, with their attempts and payloads.',
    read: wholeNumber(1, 3_650),
  },
  auditDays: {
    env: ['POSTHORN_AUDIT_DAYS'],
    default: 365,
    unit: 'days',
    sentence: 'How long audit entries are kept.',
    read: wholeNumber(1, 3_650),
  },
} satisfies Record<string, Setting<unknown>>
