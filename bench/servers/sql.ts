// This measures the driver itself.
// eslint-disable-next-line no-restricted-imports
import Database from 'better-sqlite3';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { answers, headersFor, listening } from './given.js';

/** Node's HTTP server with one SQL query per request: the minimum cost of a response from SQL. */
const database = new Database(process.env.BENCH_DATABASE);
database.pragma('journal_mode = wal');
database.exec('CREATE TABLE answers (postcode TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID');
const insert = database.prepare('INSERT INTO answers VALUES (?, ?)');
const prefix = '/product-availability/postcode/';
database.transaction(() => {
  for (const [path, body] of answers)
    insert.run(decodeURIComponent(path.slice(prefix.length)), body);
})();
const find = database.prepare('SELECT body FROM answers WHERE postcode = ?').pluck();

const server = http.createServer((request, response) => {
  const body = find.get(decodeURIComponent(request.url!.slice(prefix.length))) as string;
  response.writeHead(200, headersFor(body));
  response.end(body);
});
server.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port));
