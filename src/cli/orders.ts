import { operator, type AuditFilter, AuditService } from '../platform/audit/audit.service.js';
import { ErasureService } from '../orders/erasure.service.js';
import type { ServiceCommand } from './service-command.js';
import { AuditNamesService } from '../platform/audit/audit-names.service.js';
import { type JsonOption, limitOption, readDayOrInstant } from './options.js';

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

export function addOrderCommands(program: ServiceCommand): void {
  const orders = program.add('orders', 'orders');
  orders
    .add(
      'erase <id-or-reference>',
      "erase the personal data of an order or enquiry (contact, notes, the client's reference, what it wants in words); it stays",
    )
    .using(ErasureService, async (erasure, idOrReference: string) => {
      const { order, fields, watches } = await erasure.erase(idOrReference, operator);
      console.log(
        fields.length === 0
          ? `${order.reference} has no personal data.`
          : `${order.reference}: erased ${fields.join(', ')}. Earlier backups still hold them.`,
      );
      if (watches.length > 0) {
        console.log(
          `Watches of the same API client with the same reference or premises keep them: ${watches.join(', ')}. See \`watches erase\`.`,
        );
      }
    });
}
