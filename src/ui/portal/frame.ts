import { portal } from './settings.ts'

/** True if it is embedded: then the key stays in memory, and no cookie is used. */
export const isFramed = window.parent !== window

/** Posts the height of the portal to the embedding page whenever it changes, and only to the origins that the server allows. */
export function sendHeight(): void {
  if (!isFramed) return
  document.documentElement.dataset['framed'] = ''
  let last = 0
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height)
    if (height === last) return
    last = height
    for (const origin of parentOrigins()) window.parent.postMessage({ type: 'posthorn:height', height }, origin)
  }).observe(document.body)
}

/** The possible origins of the parent. The browser delivers only to the one that matches; if it reveals the origin, only that one is tried. */
function parentOrigins(): readonly string[] {
  const above = 'ancestorOrigins' in window.location ? window.location.ancestorOrigins[0] : undefined
  return above === undefined ? portal.frameAncestors : portal.frameAncestors.filter((origin) => origin === above)
}
