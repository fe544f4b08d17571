import { operator } from '../platform/audit/audit.service.js';
import { ErasureService } from '../orders/erasure.service.js';
import type { ServiceCommand } from './service-command.js';

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
