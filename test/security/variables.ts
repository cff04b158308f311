/** Runs something with other variables of the environment, and puts back what was there. */
export async function withVariables<Result>(
  variables: ReadonlyMap<string, string>,
  run: () => Promise<Result>,
): Promise<Result> {
  const before = [...variables.keys()].map((name) => [name, process.env[name]] as const)
  for (const [name, value] of variables) process.env[name] = value
  try {
    return await run()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
