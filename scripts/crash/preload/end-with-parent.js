// The parent of this process has ended, perhaps by kill -9: nobody else would end it.
process.once('disconnect', () => process.exit())
// This does not keep the process alive.
process.channel?.unref()
