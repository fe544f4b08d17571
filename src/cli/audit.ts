import { type Command, InvalidArgumentError } from 'commander';
import { AuditService } from '../audit/audit.service.js';
import { parseInstant } from '../kernel/instant.js';
import { printRows, withService } from './context.js';

interface AuditOptions {
  readonly subject?: string;
  readonly id?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
  readonly json: boolean;
}

export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('who did what')
    .command('list')
    .description('list the entries, newest first')
    .option('--subject <type>', 'of this kind of subject: order, export, token, client, staff, …')
    .option('--id <id>', 'of the subject with this id')
    .option('--action <word>', 'of this action: claimed, contact_logged, issued, revoked, …')
    .option('--actor <name>', 'by whoever has this name')
    .option('--since <time>', 'at or after this day or time (UTC)', readTime)
    .option('--until <time>', 'before this day or time (UTC)', readTime)
    .option('--limit <n>', 'at most so many', readLimit, 100)
    .option('--json', 'one JSON object a line', false)
    .action(async ({ subject, id, json, ...filter }: AuditOptions) => {
      const entries = await withService((service) =>
        service.get(AuditService).list({
          ...filter,
          ...(subject !== undefined && { subjectType: subject }),
          ...(id !== undefined && { subjectId: id }),
        }),
      );
      if (entries.length === 0 && !json) console.log('No entry fits.');
      printRows(
        entries.map((entry) => ({
          at: entry.at,
          subject: entry.subjectType,
          id: entry.subjectId,
          action: entry.action,
          actor: entry.actorType,
          name: entry.actorName,
          details: entry.details,
        })),
        json,
      );
    });
}

function readTime(text: string): Date {
  const value = parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (value) return value;
  throw new InvalidArgumentError('Must be such as 2026-11-21 or 2026-11-21T09:30:00Z.');
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100_000) return limit;
  throw new InvalidArgumentError('Must be a whole number from 1 to 100000.');
}
