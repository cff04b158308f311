import { list, oneOf, text } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** How the customers' portal looks, and where it can be embedded. */
export const portalSettings = {
  portalName: {
    env: ['POSTHORN_PORTAL_NAME'],
    default: 'Webhooks',
    unit: '',
    sentence: "The name at the head of the customers' portal, such as Acme Webhooks.",
    read: text(),
  },
  portalLogo: {
    env: ['POSTHORN_PORTAL_LOGO'],
    default: null as string | null,
    unit: '',
    sentence:
      "The file with the portal's logo: PNG, JPEG, WebP, GIF or SVG, up to 256 KiB. If it cannot be used, a warning says why, and the name stands alone.",
    read: text(),
  },
  portalColor: {
    env: ['POSTHORN_PORTAL_COLOR'],
    default: [] as readonly string[],
    unit: '',
    sentence:
      "The colour of the portal's links and buttons, such as #1d4f91, or two: for the light and the dark theme. One that is too hard to read is adjusted.",
    read: list(),
  },
  portalTheme: {
    env: ['POSTHORN_PORTAL_THEME'],
    default: 'system',
    unit: '',
    sentence: "The portal's theme: system (as each customer's device is set), light or dark.",
    read: oneOf(['system', 'light', 'dark']),
  },
  portalFrameAncestors: {
    env: ['POSTHORN_PORTAL_FRAME_ANCESTORS'],
    default: [] as readonly string[],
    unit: '',
    sentence: 'Origins whose pages may show the portal in a frame, such as https://app.example; none by default.',
    read: list(),
  },
  portalStrings: {
    env: ['POSTHORN_PORTAL_STRINGS'],
    default: null as string | null,
    unit: '',
    sentence:
      "A file of JSON with words in the place of the portal's own, for a translation; what it leaves out stays English.",
    read: text(),
  },
} satisfies Record<string, Setting<unknown>>
