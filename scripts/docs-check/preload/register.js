// Loaded before every Node program that a page runs: what would leave for another machine goes to the local receiver instead.
import { register } from 'node:module'

register('./resolve.js', import.meta.url)
