import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a manual clock', () => {
  test('stands still until it is moved', async () => {
    const clock = manualClock(1000)
    await turn()
    expect(clock.now()).toBe(1000)
    await clock.advance(250)
    expect(clock.now()).toBe(1250)
    await clock.advance(0)
    expect(clock.now()).toBe(1250)
  })

  test('begins at the same instant each time', () => {
    expect(manualClock().now()).toBe(manualClock().now())
    expect(new Date(manualClock().now()).toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  test('fires timers in the order of time, each at its own instant, and those of one instant in the order of arming', async () => {
    const clock = manualClock(0)
    const fired: [string, number][] = []
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['later', 51],
      ['d', 50],
    ] as const) {
      clock.after(ms, () => fired.push([name, clock.now()]))
    }
    await clock.advance(50)
    expect(fired).toEqual([
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['c', 30],
      ['d', 50],
    ])
    await clock.advance(1)
    expect(fired.at(-1)).toEqual(['later', 51])
  })

  test('honours timers that are armed on the way, also in promises and turns of the loop', async () => {
    const clock = manualClock(0)
    const fired: number[] = []
    const again = async (): Promise<void> => {
      fired.push(clock.now())
      for (let hop = 0; hop < 6; hop += 1) {
        await turn()
        for (let promise = 0; promise < 50; promise += 1) await Promise.resolve()
      }
      if (fired.length < 5) clock.after(10, () => void again())
    }
    clock.after(10, () => void again())
    await clock.advance(35)
    expect(fired).toEqual([10, 20, 30])
    await clock.advance(100)
    expect(fired).toEqual([10, 20, 30, 40, 50])
    expect(clock.now()).toBe(135)
  })

  test('lets what was begun before the move settle first', async () => {
    const clock = manualClock(0)
    const fired: number[] = []
    void turn().then(() => clock.after(5, () => fired.push(clock.now())))
    await clock.advance(10)
    expect(fired).toEqual([5])
  })

  test('does not fire what was cancelled, not even by a timer of the same instant', async () => {
    const clock = manualClock(0)
    const fired: string[] = []
    const cancel = clock.after(10, () => fired.push('cancelled before'))
    const others: (() => void)[] = []
    clock.after(10, () => others.forEach((cancelOther) => cancelOther()))
    others.push(clock.after(10, () => fired.push('cancelled on the way')))
    cancel()
    cancel()
    await clock.advance(10)
    expect(fired).toEqual([])
  })

  test('counts the timers that are armed', async () => {
    const clock = manualClock(0)
    expect(clock.pending()).toBe(0)
    const cancel = clock.after(10, () => {})
    clock.after(20, () => {})
    expect(clock.pending()).toBe(2)
    cancel()
    expect(clock.pending()).toBe(1)
    await clock.advance(20)
    expect(clock.pending()).toBe(0)
    cancel()
    expect(clock.pending()).toBe(0)
  })

  test('takes moves that overlap one after the other', async () => {
    const clock = manualClock(0)
    const fired: number[] = []
    for (const ms of [5, 15]) clock.after(ms, () => fired.push(clock.now()))
    await Promise.all([clock.advance(10), clock.advance(10)])
    expect(clock.now()).toBe(20)
    expect(fired).toEqual([5, 15])
  })

  test('leaps as a machine that was asleep: what became due fires once, at the end, and what is armed then counts from there', async () => {
    const clock = manualClock(0)
    const fired: [string, number][] = []
    const tick = (): void => {
      fired.push(['tick', clock.now()])
      clock.after(5, tick)
    }
    clock.after(5, tick)
    clock.after(70, () => fired.push(['other', clock.now()]))
    clock.after(101, () => fired.push(['later', clock.now()]))
    await clock.leap(100)
    expect(fired.splice(0)).toEqual([
      ['tick', 100],
      ['other', 100],
    ])
    await clock.advance(5)
    expect(fired).toEqual([
      ['later', 101],
      ['tick', 105],
    ])
    await expect(clock.leap(-1)).rejects.toThrow('Expected `ms` to be')
  })

  test('waits for what is under way elsewhere before it moves on, and for what its answers begin', async () => {
    const clock = manualClock(0)
    const answers: (() => void)[] = []
    let underWay: Promise<void> | null = null
    const heard: [string, number][] = []
    const ask = async (name: string): Promise<void> => {
      underWay = new Promise((resolve) => void answers.push(resolve))
      await underWay
      underWay = null
      heard.push([name, clock.now()])
    }
    clock.attend(() => underWay)
    clock.after(5, () => void ask('first').then(() => ask('second')))
    clock.after(10, () => heard.push(['timer', clock.now()]))
    const moved = clock.advance(20)
    for (let answered = 0; answered < 2; answered += 1) {
      while (answers.length === 0) await turn()
      for (let turns = 0; turns < 50; turns += 1) await turn()
      expect(clock.now()).toBe(5)
      answers.shift()?.()
    }
    await moved
    expect(heard).toEqual([
      ['first', 5],
      ['second', 5],
      ['timer', 10],
    ])
  })

  test('tells the mover of a timer that throws, and goes on afterwards', async () => {
    const clock = manualClock(0)
    clock.after(5, () => {
      throw new Error('from the timer')
    })
    await expect(clock.advance(10)).rejects.toThrow('from the timer')
    await clock.advance(5)
    expect(clock.now()).toBe(10)
  })

  test('keeps thousands of timers in order', async () => {
    const clock = manualClock(0)
    const random = seededRandom(3)
    const delays = Array.from({ length: 3000 }, () => Math.floor(random() * 100))
    const fired: number[] = []
    for (const ms of delays) clock.after(ms, () => fired.push(clock.now()))
    await clock.advance(100)
    expect(fired).toEqual(delays.toSorted((left, right) => left - right))
  })

  test.each([
    ['a wait that a real timer would cut to nothing', () => manualClock().after(2 ** 31, () => {})],
    ['a wait that is no number', () => manualClock().after(Number.NaN, () => {})],
  ])('refuses %s', (_, arm) => {
    expect(arm).toThrow(/Expected `ms` to be at most 2147483647/)
  })

  test.each([-1, Number.NaN, Infinity])('refuses to move by %s', async (ms) => {
    await expect(manualClock().advance(ms)).rejects.toThrow('Expected `ms` to be')
  })
})
