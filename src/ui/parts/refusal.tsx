import { Prose } from './time.tsx'

/** The error of the server; its element exists beforehand, so that screen readers announce it. */
export function Refusal({ problem }: { problem: string | null }) {
  return (
    <p class="refusal" role="alert">
      {problem !== null && <Prose text={problem} />}
    </p>
  )
}
