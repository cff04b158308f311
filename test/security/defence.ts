import { expect, test } from 'vitest'

/**
 * One defence as one test: the attack answers whether it succeeded, first with the defence on, then with it off. A test that only saw the attack
 * fail could not tell a defence from an attack that never worked.
 */
export function defence(name: string, attack: (isOn: boolean) => Promise<boolean>): void {
  test(name, async ({ task }) => {
    task.meta.defence = true
    expect(await outcomesOf(attack)).toEqual({ succeedsWhenOn: false, succeedsWhenOff: true })
  })
}

/** What came of an attack, with the defence on and off. */
export async function outcomesOf(attack: (isOn: boolean) => Promise<boolean>): Promise<Outcomes> {
  return { succeedsWhenOn: await attack(true), succeedsWhenOff: await attack(false) }
}

interface Outcomes {
  readonly succeedsWhenOn: boolean
  readonly succeedsWhenOff: boolean
}
