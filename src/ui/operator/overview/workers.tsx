import type { Worker } from '../../api/answers.ts'
import { Panel } from '../../parts/page.tsx'
import { Ago } from '../../parts/time.tsx'

export function Workers({ workers }: { workers: readonly Worker[] }) {
  return (
    <Panel title="Workers">
      {workers.length === 0 ? (
        <p>
          No worker is alive, so nothing is sent. Start one: <code>posthorn worker</code>
        </p>
      ) : (
        <div class="scroll">
          <table class="rows">
            <caption class="hidden">Workers that are alive</caption>
            <thead>
              <tr>
                <th scope="col">Host and process</th>
                <th scope="col" class="wide">
                  Id
                </th>
                <th scope="col">Started</th>
                <th scope="col">Seen</th>
              </tr>
            </thead>
            <tbody>
              {workers.map(({ id, host, pid, startedAt, seenAt }) => (
                <tr key={id}>
                  <td class="main">
                    {host} <span class="muted">pid {pid}</span>
                  </td>
                  <td class="wide when">
                    <code>{id}</code>
                  </td>
                  <td class="when">
                    <Ago at={startedAt} />
                  </td>
                  <td class="when">
                    <Ago at={seenAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
