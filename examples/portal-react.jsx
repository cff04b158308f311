import { useEffect, useRef, useState } from 'react'

export function Webhooks({ url }) {
  const frame = useRef(null)
  const [height, setHeight] = useState(560)
  useEffect(() => {
    function onMessage({ source, origin, data }) {
      if (source !== frame.current?.contentWindow || origin !== new URL(url).origin) return
      if (data?.type === 'posthorn:height') setHeight(data.height)
    }
    window.addEventListener('message', onMessage)
    return () => window.removeEventListener('message', onMessage)
  }, [url])
  return <iframe ref={frame} src={url} title="Webhooks" style={{ width: '100%', height, border: 0 }} />
}
