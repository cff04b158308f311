import { useState } from 'preact/hooks'
import { Code } from '../parts/code.tsx'
import { say } from '../settings.ts'
import { codeSamples, secretPlaceholder } from './code-samples.ts'

/** How to check a signature, in the customer's language of programming. */
export function Verification() {
  const [chosen, setChosen] = useState(codeSamples[0]?.language ?? '')
  const sample = codeSamples.find(({ language }) => language === chosen)
  return (
    <section class="panel">
      <h2>{say('verify.title')}</h2>
      <p class="muted">{say('verify.sentence', { secret: secretPlaceholder })}</p>
      <fieldset class="segments">
        <legend class="hidden">{say('verify.languages')}</legend>
        {codeSamples.map(({ language }) => (
          <label key={language}>
            <input type="radio" name="language" checked={language === chosen} onChange={() => setChosen(language)} />
            <span>{language}</span>
          </label>
        ))}
      </fieldset>
      <Code
        label={say('verify.label', { language: chosen })}
        text={sample?.text.replaceAll('{secret}', secretPlaceholder) ?? ''}
      />
    </section>
  )
}
