import { expect, test } from 'vitest'

/** One attack, tried with its defence on, which must hold, and with its defence off: what never succeeds proves nothing. */
export function defence(name: string, attack: (isOn: boolean) => Promise<boolean> /* true = attack succeeded */): void {
  test(name, async () => {
    expect(await attack(true), 'with the defence on, the attack must fail').toBe(false)
    expect(await attack(false), 'with the defence off, the attack must succeed').toBe(true)
  })
}
