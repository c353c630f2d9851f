// Serves dynalite on a free loopback port, prints the port, and ends when its
// standard input does: a test that dies takes it along.
'use strict'
const dynalite = require('dynalite')

const server = dynalite({ createTableMs: 10, updateTableMs: 20, deleteTableMs: 10 })
// A client that cuts its request off is an error that nobody in dynalite catches,
// and that would end the process for every other test.
process.on('uncaughtException', (error) => {
  if (!['ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE', 'ERR_HTTP_HEADERS_SENT'].includes(error.code)) {
    console.error(error)
    process.exit(1)
  }
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit(0)).resume()
