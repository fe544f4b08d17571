import { AuditNamesService } from '../platform/audit/audit-names.service.js';
import { type AuditFilter, AuditService } from '../platform/audit/audit.service.js';
import { type JsonOption, limitOption, readDayOrInstant } from './options.js';
import type { ServiceCommand } from './service-command.js';

type AuditOptions = JsonOption &
  Pick<AuditFilter, 'action' | 'since' | 'until' | 'limit'> & {
    readonly subject?: string;
    readonly id?: string;
    readonly actor?: string;
  };

export function addAuditCommands(program: ServiceCommand): void {
  program
    .add('audit', 'who did what')
    .addList(
      'list the entries, newest first',
      'No entries match.',
      async (services, { subject, id, actor, ...filter }: AuditOptions) => {
        const equal = { subjectType: subject, subjectId: id, actorName: actor };
        const entries = await services.get(AuditService).list({ ...filter, ...equal });
        const nameOf = await services.get(AuditNamesService).of(entries);
        return entries.map(
          ({ at, subjectType, subjectId, action, actorType, actorName, details }) => ({
            at,
            subject: subjectType,
            id: subjectId,
            about: nameOf(subjectType, subjectId) ?? null,
            action,
            actor: actorType,
            name: actorName,
            details,
          }),
        );
      },
    )
    .option('--subject <type>', 'type of subject: order, export, token, client, staff, …')
    .option('--id <id>', 'id of the subject')
    .option('--action <word>', 'action: claimed, contact_logged, issued, revoked, …')
    .option('--actor <name>', 'name of the person or client')
    .option('--since <time>', 'at or after this day or time (UTC)', readDayOrInstant)
    .option('--until <time>', 'before this day or time (UTC)', readDayOrInstant)
    .addOption(limitOption(100, 100_000));
}
