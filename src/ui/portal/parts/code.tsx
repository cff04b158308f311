import { useState } from 'preact/hooks'
import { browserClock } from '../../clock.ts'
import { notify } from '../../state/notices.ts'
import { Icon } from '../../parts/icons.tsx'
import { say } from '../settings.ts'

const saysCopiedMs = 2_000

/** Preformatted text with a button that copies it. */
export function Code({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      // Outside a secure context, and in some frames, there is no clipboard.
      return notify('bad', say('common.copy_refused'))
    }
    setCopied(true)
    browserClock.after(saysCopiedMs, () => setCopied(false))
    return undefined
  }
  return (
    <div class="code">
      <button type="button" class="button small quiet" onClick={() => void copy()} aria-live="polite">
        <Icon name={isCopied ? 'check' : 'copy'} />
        {say(isCopied ? 'common.copied' : 'common.copy')}
      </button>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
