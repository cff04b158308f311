import { portal } from './settings.ts'

/** True in a page of somebody else's: then the key stays in memory, and no cookie is used. */
export const isFramed = window.parent !== window

/** Tells the page around it how high the portal is, whenever that changes; and nobody but the pages that the server allows. */
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

/** Where the parent can be. The browser delivers to none but the one that is named; where it says which, only that is tried. */
function parentOrigins(): readonly string[] {
  const above = 'ancestorOrigins' in window.location ? window.location.ancestorOrigins[0] : undefined
  return above === undefined ? portal.frameAncestors : portal.frameAncestors.filter((origin) => origin === above)
}
