import { expect, test } from 'vitest'

/** An attack that fails with its defence on, and succeeds with it off: a defence that was never seen to be needed proves nothing. */
export function defence(name: string, attack: (isOn: boolean) => Promise<boolean>): void {
  test(name, async () => {
    expect(await attack(true), 'the attack succeeds, although the defence is on').toBe(false)
    expect(await attack(false), 'the attack fails, although the defence is off').toBe(true)
  })
}
