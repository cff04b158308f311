export const mutant = {
  says: 'One hung endpoint takes all places of those that are not proven.',
  joins: 'budget × hung endpoints',
  file: 'src/engine/endpoints/budget.ts',
  find: 'ofEndpoint(share(free, ofApplication?.[group][what] ?? 0))',
  replace: "group === 'all' ? ofEndpoint(share(free, ofApplication?.[group][what] ?? 0)) : free",
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'whose endpoint fails leaves a place among the failing ones' },
}
