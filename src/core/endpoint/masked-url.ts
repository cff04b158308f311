export const masked = '***'

/** Shows only the parameter names of a query, and no user or password: they may be credentials. */
export function maskedUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return masked
  const query = [...url.searchParams.keys()].map((key) => `${encodeURIComponent(key)}=${masked}`)
  const user = url.username === '' && url.password === '' ? '' : `${masked}@`
  return `${url.protocol}//${user}${url.host}${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`
}
