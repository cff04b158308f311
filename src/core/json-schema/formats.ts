import { urlOf } from '../url.ts'

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const mostHostLength = 253
const mostMailboxLength = 64

/** The formats that are checked, each in linear time; others are ignored. */
export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map(
  Object.entries({
    date: isDate,
    time: isTime,
    'date-time': isDateTime,
    duration: matches(
      /^P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?|T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))$/,
    ),
    uri: (text: string) => /^[a-z][a-z0-9+.-]*:/i.test(text) && isUriReference(text),
    'uri-reference': isUriReference,
    'uri-template': matches(/^(?:[^\p{Cc} "<>%\\^`{|}]|%[\da-f]{2}|\{[+#./;?&=,!@|]?[\w%.,:*]+\})*$/iu),
    url: (text: string) => /^(?:https?|ftp):\/\//i.test(text) && !/\s/.test(text) && urlOf(text) !== null,
    email: isEmail,
    hostname: isHostname,
    ipv4: isIpv4,
    ipv6: isIpv6,
    regex: isPattern,
    uuid: matches(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i),
    'json-pointer': matches(/^(?:\/(?:[^~/]|~0|~1)*)*$/),
    'json-pointer-uri-fragment': matches(/^#(?:\/(?:[\w\-.!$&'()*+,;:=@]|%[\da-f]{2}|~0|~1)*)*$/i),
    'relative-json-pointer': matches(/^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/),
  }),
)

function matches(form: RegExp): (text: string) => boolean {
  return (text) => form.test(text)
}

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const days = month === 2 && isLeapYear(year) ? 29 : (daysInMonth[month - 1] ?? 0)
  return day >= 1 && day <= days
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function isTime(text: string): boolean {
  const found = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i.exec(text)
  if (found === null) return false
  const [, hour, minute, second, sign, offsetHour = 0, offsetMinute = 0] = found
  if (second !== '60') return true
  // A leap second is the last second of a UTC day.
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1)
  return (Number(hour) * 60 + Number(minute) - offset + 1_440) % 1_440 === 1_439
}

function isDateTime(text: string): boolean {
  return /^.{10}[t\s]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

const uriCharacters = /^(?:[\w!$&'()*+,;=:@/?#[\]~.-]|%[\da-f]{2})*$/i

/** RFC 3986: valid characters, one fragment, and brackets only around an address. */
function isUriReference(text: string): boolean {
  if (!uriCharacters.test(text) || text.indexOf('#') !== text.lastIndexOf('#')) return false
  const [, authority = ''] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)/i.exec(text) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const literal = /^\[([^[\]]*)\](?::\d*)?$/.exec(host)?.[1]
  const brackets = text.length - text.replaceAll(/[[\]]/g, '').length
  if (literal === undefined) return brackets === 0
  return brackets === 2 && (isIpv6(literal) || /^v[\da-f]+\.[\w!$&'()*+,;=:~.-]+$/i.test(literal))
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [name, host] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  if (at < 1 || name.length > mostMailboxLength || host.length > mostHostLength) return false
  const isQuoted = /^"(?:[\u0020-\u0021\u0023-\u005b\u005d-\u007e]|\\[\u0020-\u007e])*"$/.test(name)
  const isDotted = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(name)
  if (!isQuoted && !isDotted) return false
  if (!host.startsWith('[') || !host.endsWith(']')) return isHostname(host)
  const address = host.slice(1, -1)
  return /^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address)
}

function isHostname(text: string): boolean {
  return text.length <= mostHostLength && text.split('.').every(isLabel)
}

function isLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(text)
}

function isIpv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)
}

function isIpv6(text: string): boolean {
  return text.length <= 45 && /^[\da-f:.]+$/i.test(text) && urlOf(`http://[${text}]`) !== null
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}
