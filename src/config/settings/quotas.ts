import { usualQuotas } from '../../core/limits/quotas.ts'
import { wholeNumber } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** How much one application may have and do. */
export const quotaSettings = {
  endpointsPerApplication: {
    env: ['POSTHORN_ENDPOINTS_PER_APPLICATION'],
    default: usualQuotas.endpointsPerApplication,
    unit: 'endpoints',
    sentence: 'Endpoints that one application may have; 0 for no quota.',
    read: wholeNumber(0, 1_000_000),
  },
  filterSizePerApplication: {
    env: ['POSTHORN_FILTER_SIZE_PER_APPLICATION'],
    default: usualQuotas.filterSizePerApplication,
    unit: 'characters',
    sentence: 'Characters of JSON that all payload filters of one application may have together; 0 for no quota.',
    read: wholeNumber(0, 1_000_000_000),
  },
  messagesPerSecondPerApplication: {
    env: ['POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION'],
    default: 500,
    unit: 'messages',
    sentence:
      'Messages that one application may get per second over the HTTP API, on each server; 0 for no quota. The library has none.',
    read: wholeNumber(0, 1_000_000),
  },
} satisfies Record<string, Setting<unknown>>
