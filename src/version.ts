/** The package's version, as receivers see it in `user-agent`. */
export const version = '0.1.0'
