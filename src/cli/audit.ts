import { InvalidArgumentError } from 'commander';
import { type AuditFilter, AuditService } from '../audit/audit.service.js';
import { parseInstant } from '../kernel/instant.js';
import { type JsonOption, limitOption } from './options.js';
import type { ServiceCommand } from './service-command.js';

type AuditOptions = JsonOption &
  Pick<AuditFilter, 'action' | 'actor' | 'since' | 'until' | 'limit'> & {
    readonly subject?: string;
    readonly id?: string;
  };

export function addAuditCommands(program: ServiceCommand): void {
  program
    .add('audit', 'who did what')
    .addList(
      'list the entries, newest first',
      'No entry fits.',
      async (services, { subject, id, json: _json, ...filter }: AuditOptions) => {
        const about = {
          ...(subject !== undefined && { subjectType: subject }),
          ...(id !== undefined && { subjectId: id }),
        };
        const entries = await services.get(AuditService).list({ ...filter, ...about });
        return entries.map(
          ({ at, subjectType, subjectId, action, actorType, actorName, details }) => ({
            at,
            subject: subjectType,
            id: subjectId,
            action,
            actor: actorType,
            name: actorName,
            details,
          }),
        );
      },
    )
    .option('--subject <type>', 'of this kind of subject: order, export, token, client, staff, …')
    .option('--id <id>', 'of the subject with this id')
    .option('--action <word>', 'of this action: claimed, contact_logged, issued, revoked, …')
    .option('--actor <name>', 'by the person or client with this name')
    .option('--since <time>', 'at or after this day or time (UTC)', readTime)
    .option('--until <time>', 'before this day or time (UTC)', readTime)
    .addOption(limitOption(100, 100_000));
}

function readTime(text: string): Date {
  const value = parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (value) return value;
  throw new InvalidArgumentError('Must be such as 2026-11-21 or 2026-11-21T09:30:00Z.');
}
