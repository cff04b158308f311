// Reports every connection that this process opens, before a byte is sent on it, so that a receiver knows which process called.
import { subscribe } from 'node:diagnostics_channel'
import { toParent } from './parent.js'

subscribe('net.client.socket', ({ socket }) => {
  socket.once('connect', () => {
    toParent({ kind: 'connected', from: socket.localPort, to: socket.remotePort })
  })
})
