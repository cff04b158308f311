import { Prose } from './time.tsx'

/** What the server has against something; it is there before, so that it is read aloud when it comes. */
export function Refusal({ problem }: { problem: string | null }) {
  return (
    <p class="refusal" role="alert">
      {problem !== null && <Prose text={problem} />}
    </p>
  )
}
