/** Fields of the API whose flag has another name. */
const flags: Readonly<Record<string, readonly string[]>> = {
  app_id: ['application'],
  channels: ['channel'],
  eventType: ['type'],
  eventTypes: ['type'],
  gracePeriodSeconds: ['overlap'],
  headers: ['header'],
  key: ['secret-file'],
  payload: ['data'],
  secret: ['secret-file'],
  throttleRate: ['rate'],
}

/** An API error in terms of the command's flags: people gave a flag, and do not know the field that it became. */
export function withFlagNames(sentence: string, options: readonly string[], takes: readonly string[]): string {
  return sentence.replaceAll(/`([A-Za-z_]+)(?:\.[\w-]+)*`/g, (whole, field: string) => {
    const names = [...(flags[field] ?? []), kebab(field), field]
    const taken = takes.find((each) => names.some((name) => each.includes(name)))
    const option = names.find((name) => options.includes(name))
    if (option !== undefined) return `\`--${option}\``
    return taken === undefined ? whole : `\`${taken}\``
  })
}

function kebab(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
