import { simulate } from './command.ts'

// The deterministic simulator, as a program:
//   npm run simulate -- --seeds N [--from S] [--only TEXT]   many worlds; what breaks a promise is shrunk to a scenario
//   npm run simulate -- --seeds N --first                    until the first that breaks a promise
//   npm run simulate -- --seed S [--trace]                   one of them again
//   npm run simulate -- --scenario FILE [--trace]            one that was kept

process.exitCode = await simulate(process.argv.slice(2), {
  line: (text) => console.log(text),
  error: (text) => console.error(text),
})
