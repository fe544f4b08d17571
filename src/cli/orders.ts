import type { Command } from 'commander';
import { operator } from '../audit/audit.service.js';
import { ErasureService } from '../orders/erasure.service.js';
import { withService } from './context.js';

export function addOrderCommands(program: Command): void {
  const orders = program.command('orders').description('order requests');
  orders
    .command('erase <id-or-reference>')
    .description(
      "erase an order's personal data (contact, notes, the client's reference); the order stays",
    )
    .action(async (idOrReference: string) => {
      const { order, fields } = await withService((service) =>
        service.get(ErasureService).erase(idOrReference, operator),
      );
      console.log(
        fields.length === 0
          ? `${order.reference} has no personal data (any more).`
          : `${order.reference}: erased ${fields.join(', ')}. Backups made before still hold them.`,
      );
    });
}
