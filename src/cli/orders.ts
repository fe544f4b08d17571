import { operator } from '../audit/audit.service.js';
import { ErasureService } from '../orders/erasure.service.js';
import type { ServiceCommand } from './service-command.js';

export function addOrderCommands(program: ServiceCommand): void {
  const orders = program.add('orders', 'order requests');
  orders
    .add(
      'erase <id-or-reference>',
      "erase an order's personal data (contact, notes, the client's reference); the order stays",
    )
    .inService(async (services, idOrReference: string) => {
      const { order, fields } = await services.get(ErasureService).erase(idOrReference, operator);
      console.log(
        fields.length === 0
          ? `${order.reference} has no personal data (any more).`
          : `${order.reference}: erased ${fields.join(', ')}. Backups made before still hold them.`,
      );
    });
}
