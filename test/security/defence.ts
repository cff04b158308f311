import { expect, test } from 'vitest'

/** One attack, tried with its defence on and off: it must fail with it, and succeed without it, or it proves nothing. */
export function defence(name: string, attack: (isOn: boolean) => Promise<boolean>): void {
  test(name, async () => {
    expect(await attack(true), 'the attack with the defence on').toBe(false)
    expect(await attack(false), 'the attack with the defence off').toBe(true)
  })
}
