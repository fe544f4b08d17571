/** Writes into a SQLite database in every way that changes its write-ahead log, until it is killed. */
import Database from 'better-sqlite3';
import { randomBytes, randomInt } from 'node:crypto';

const database = new Database(process.argv[2]);
database.pragma('journal_mode = wal');
database.pragma('synchronous = normal');
database.pragma('wal_autocheckpoint = 0');
// Small, so that large transactions write into the log before they end, and write pages of it again.
database.pragma('cache_size = 10');
database.exec('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, value BLOB)');
const insert = database.prepare('INSERT INTO rows (value) VALUES (?)');
const change = database.prepare(
  'UPDATE rows SET value = ? WHERE id IN (SELECT id FROM rows ORDER BY id LIMIT 50)',
);
const write = (rows: number) => {
  for (let i = 0; i < rows; i += 1) insert.run(randomBytes(randomInt(1, 3_000)));
  change.run(randomBytes(100));
};
process.stdout.write('writing\n');
for (;;) {
  const kind = randomInt(20);
  database.exec('BEGIN IMMEDIATE');
  write(kind < 3 ? randomInt(50, 400) : randomInt(1, 4));
  database.exec(kind === 0 || kind === 4 ? 'ROLLBACK' : 'COMMIT');
  if (kind === 5) database.pragma('wal_checkpoint(PASSIVE)');
  if (kind === 6) database.pragma('wal_checkpoint(RESTART)');
  if (kind === 7) database.exec('DELETE FROM rows');
}
