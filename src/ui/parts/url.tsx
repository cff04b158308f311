import { shortUrl } from '../text/format.ts'

/** A URL, without its scheme unless `isWhole`. It wraps after a slash, and inside a word only if that part is too long for the line. */
export function Url({ url, isWhole = false }: { url: string; isWhole?: boolean }) {
  const parts = (isWhole ? url : shortUrl(url)).split(/(?<=[/?&])/)
  return (
    <>
      {parts.map((part, index) => (
        <span key={index} class="url-part">
          {part}
        </span>
      ))}
    </>
  )
}
