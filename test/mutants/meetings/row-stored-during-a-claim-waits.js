export const mutant = {
  says: 'A row that is stored while a claim is under way waits for the tick if the claim finds nothing.',
  joins: 'send × claim',
  file: 'src/engine/claim/schedule.ts',
  find: 'if (isEmpty) record.due[lane] = record.dueSinceClaim[lane]',
  replace: 'if (isEmpty) record.due[lane] = false',
  caughtBy: { file: 'test/engine/schedule.test.ts', title: 'a row that is stored while a claim finds nothing' },
}
