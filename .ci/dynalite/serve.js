// Serves dynalite on a free loopback port, prints the port, and ends when its
// standard input does: a test that dies takes it along.
'use strict'
const dynalite = require('dynalite')

const server = dynalite({ createTableMs: 10, updateTableMs: 20, deleteTableMs: 10 })
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit(0)).resume()
