import type { Endpoint } from '../../api/answers.ts'
import { Panel } from '../../parts/page.tsx'
import { Ago } from '../../parts/time.tsx'
import { EndpointRow } from '../endpoint/endpoint-row.tsx'

export function Failing({ endpoints }: { endpoints: readonly Omit<Endpoint, 'hours'>[] }) {
  return (
    <Panel title="Failing endpoints">
      <div class="scroll">
        <table class="rows">
          <caption class="hidden">Endpoints that only fail, after ten attempts or more; worst first</caption>
          <thead>
            <tr>
              <th scope="col" class="wide">
                Health
              </th>
              <th scope="col">Endpoint and why</th>
              <th scope="col" class="wide">
                Failing since
              </th>
              <th scope="col" class="number">
                Backlog
              </th>
            </tr>
          </thead>
          <tbody>
            {endpoints.map((endpoint) => (
              <EndpointRow key={endpoint.id} endpoint={endpoint}>
                <td class="wide when">
                  <Ago at={endpoint.health.failingSince} none="" />
                </td>
              </EndpointRow>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
