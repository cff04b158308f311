import { didYouMean } from '../../core/nearest.ts'
import type { Problem } from '../errors/error-response.ts'
import type { UnknownField } from './known-fields.ts'
import { unknownProblem } from '../errors/problems.ts'

/** A given field or parameter that has no effect. */
export interface Ignored extends UnknownField {
  readonly place: 'body' | 'query'
}

const mostShown = 10
const mostShownLength = 100
const mostRemembered = 1_000

/** The refusal of an unknown field. */
export function problemOf({ place, path, others }: Ignored): Problem {
  return unknownProblem(place, path, didYouMean(path.at(-1) ?? '', others))
}

/** The names for a header: `body.tags, query.tag`. Other characters are escaped. */
export function ignoredHeader(ignored: readonly Ignored[]): string {
  return ignored
    .slice(0, mostShown)
    .map((each) => shown(each))
    .join(', ')
}

/** Reports once per operation and field that it is ignored: a client that always sends it must not fill the log. */
export function makeIgnoredLog(
  warn: (sentence: string) => void,
): (operation: string, ignored: readonly Ignored[]) => void {
  const said = new Set<string>()
  return (operation, ignored) => {
    for (const each of ignored) {
      const line = `${operation} ignores ${shown(each)}, which a client gave.${didYouMean(each.path.at(-1) ?? '', each.others)}`
      if (said.has(line) || said.size >= mostRemembered) continue
      said.add(line)
      warn(`${line} POSTHORN_STRICT=1 refuses such requests.`)
    }
  }
}

function shown({ place, path }: Ignored): string {
  return `${place}.${path.map((name) => encodeURIComponent(wellFormed(name))).join('.')}`.slice(0, mostShownLength)
}

/** Half of a surrogate pair cannot be escaped. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\u{FFFD}')
}
