// Links and anchors of pages, without the network: their targets must exist.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What is wrong with the links of a page, one line each. */
export function linkProblems(root, path) {
  const text = readFileSync(join(root, path), 'utf8')
  return linksOf(text).flatMap(({ target, line }) => {
    const problem = problemOf(root, path, target)
    return problem === null ? [] : [`${path}:${line}: ${target} ${problem}`]
  })
}

/** Targets of links and pictures outside of fences and code. */
function linksOf(text) {
  const found = []
  let isCode = false
  text.split('\n').forEach((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode) return
    for (const [, target] of line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g))
      found.push({ target, line: index + 1 })
  })
  return found
}

function problemOf(root, path, target) {
  // Other machines are not called.
  if (/^(https?|mailto):/.test(target)) return null
  const [file, anchor] = target.split('#')
  const to = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file)))
  if (to.startsWith('..') || !existsSync(join(root, to))) return 'leads to nothing'
  if (anchor === undefined || !to.endsWith('.md')) return null
  return anchorsOf(readFileSync(join(root, to), 'utf8')).has(anchor) ? null : `has no heading #${anchor}`
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text) {
  const anchors = new Set()
  let isCode = false
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode
    const [, heading] = isCode ? [] : (/^#{1,6} (.+)$/.exec(line) ?? [])
    if (heading === undefined) continue
    const plain = anchorOf(heading)
    let anchor = plain
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${plain}-${again}`
    anchors.add(anchor)
  }
  return anchors
}

function anchorOf(heading) {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}
