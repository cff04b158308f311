/** The next steps for a user, ready to be copied; fits 80 columns. */
export const nextSteps = `
That is Posthorn. In your own program:

  npm install posthorn

  import { Posthorn } from 'posthorn'
  import { sqlite } from 'posthorn/sqlite'

  const posthorn = new Posthorn({ store: sqlite('webhooks.db') })
  await posthorn.start()
  const url = 'https://acme.example/hooks'
  await posthorn.endpoints.create({ application: 'acme', url })
  await posthorn.send({ application: 'acme', type: 'paid', data: { id: 7 } })
`
