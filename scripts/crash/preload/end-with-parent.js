// Whoever started this process has ended, perhaps by kill -9: nobody would end it any more.
process.once('disconnect', () => process.exit())
// Not a reason to stay alive.
process.channel?.unref()
