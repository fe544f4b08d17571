import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../audit/audit.service.js';
import { Refused } from '../common/refused.js';
import { Transactions } from '../database/transactions.js';
import { Order } from './order.entity.js';

/** What of an order may say something about a person. */
const personal = [
  'contactName',
  'contactEmail',
  'contactPhone',
  'notes',
  'clientReference',
] as const;

export interface Erased {
  readonly order: Pick<Order, 'id' | 'reference'>;
  /** The fields that held something. */
  readonly fields: readonly string[];
}

/** Forgets who ordered; what was ordered, and what became of it, stays for counts and reports. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** By id or by reference. @throws {Refused} where there is no such order */
  erase(idOrReference: string, actor: Actor): Promise<Erased> {
    const isReference = /^ORD-/i.test(idOrReference);
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(idOrReference);
    return this.transactions.run(async (tx) => {
      const order =
        isReference || isId
          ? await tx.findOneBy(
              Order,
              isReference
                ? { reference: idOrReference.toUpperCase() }
                : { id: idOrReference.toLowerCase() },
            )
          : null;
      if (!order) throw new Refused(`There is no order ${JSON.stringify(idOrReference)}.`);
      const fields = personal.filter((field) => order[field] !== null);
      if (fields.length > 0) {
        await tx.update(
          Order,
          { id: order.id },
          Object.fromEntries(personal.map((field) => [field, null])),
        );
        await this.audit.record(tx, {
          subject: ['order', order.id],
          action: 'erased',
          actor,
          details: { fields },
        });
      }
      return { order, fields };
    });
  }
}
