import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What clients and the operator write to each other, and whether a client gets it by email. */
export class Messages1795880000000 implements MigrationInterface {
  readonly name = 'Messages1795880000000';
  down = () => Promise.reject(new Error('Migrations are not undone.'));

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.dataSource.options.type === 'postgres';
    const [id, text] = isPostgres ? ['uuid', 'character varying(8)'] : ['varchar', 'varchar(8)'];
    for (const table of ['messages', 'test_messages']) {
      const key = isPostgres ? `, CONSTRAINT "pk_${table}" PRIMARY KEY ("id")` : '';
      await runner.query(
        `CREATE TABLE "${table}" ("id" ${id} ${isPostgres ? '' : 'PRIMARY KEY '}NOT NULL, "order_id" ${id} NOT NULL, "sender" ${text} NOT NULL, "text" text NOT NULL, "at" bigint NOT NULL, "answers_waiting" boolean NOT NULL, "author_id" ${id}${key})`,
      );
      // As TypeORM writes it, with the space: SQLite keeps the text.
      await runner.query(`CREATE INDEX "ix_${table}_order" ON "${table}" ("order_id", "id") `);
    }
    const short = isPostgres ? 'character varying(3)' : 'varchar(3)';
    await runner.query(
      `ALTER TABLE "api_clients" ADD COLUMN "message_emails" ${short} NOT NULL DEFAULT ${isPostgres ? "'on'" : "('on')"}`,
    );
  }
}
