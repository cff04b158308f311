// Loaded before every Node program of a page: requests to other machines go to the local receiver instead.
import { register } from 'node:module'

register('./resolve.js', import.meta.url)
