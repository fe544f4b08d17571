import type { Command } from 'commander';
import { readConfig } from '../config.js';
import { createDataSource } from '../data-source.js';
import { migrate } from '../database/migrate.js';

export function addDatabaseCommands(program: Command): void {
  const db = program.command('db').description('the database');
  db.command('migrate')
    .description('bring the schema up to date; the service does the same when it starts')
    .action(async () => {
      const config = readConfig({ ...process.env, NODE_ENV: 'development' });
      const dataSource = await createDataSource(config, 'endless').initialize();
      try {
        const done = await migrate(dataSource);
        for (const name of done) console.log(name);
        console.log(done.length === 0 ? 'The schema is up to date.' : 'Done.');
      } finally {
        await dataSource.destroy();
      }
    });
}
