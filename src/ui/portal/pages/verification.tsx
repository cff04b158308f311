import { useState } from 'preact/hooks'
import { Segments } from '../../parts/form/segments.tsx'
import { Code } from '../parts/code.tsx'
import { say } from '../settings.ts'
import { codeSamples, secretPlaceholder } from './code-samples.ts'

/** How to check a signature, in the customer's programming language. */
export function Verification() {
  const [chosen, setChosen] = useState(codeSamples[0]?.language ?? '')
  const sample = codeSamples.find(({ language }) => language === chosen)
  return (
    <section class="panel">
      <h2>{say('verify.title')}</h2>
      <p class="muted">{say('verify.sentence', { secret: secretPlaceholder })}</p>
      <Segments
        legend={say('verify.languages')}
        name="language"
        options={codeSamples.map(({ language }) => [language, language] as const)}
        chosen={chosen}
        choose={setChosen}
      />
      <Code
        label={say('verify.label', { language: chosen })}
        text={sample?.text.replaceAll('{secret}', secretPlaceholder) ?? ''}
      />
    </section>
  )
}
