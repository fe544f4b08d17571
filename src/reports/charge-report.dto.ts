import { ApiSchema } from '@nestjs/swagger';
import { ListOf } from '../platform/http/lists.js';
import type { ChargeCategory } from '../orders/record/charge-states.js';

@ApiSchema({ description: 'Extra charges in one currency, added up, without VAT.' })
export class ChargeAmount {
  /** ISO 4217. @kind currency */
  currency: string;

  /** In major units. @example 1250 */
  amount: number;
}

@ApiSchema({ description: 'The extra charges of a category, by their state to date.' })
export class ChargeRow {
  /** `construction`, `survey`, `connection`, `expedite` or `other`. @enumName ChargeCategory */
  category: ChargeCategory;

  /** Charges proposed in the period. */
  proposed: number;

  /** Their amounts, by currency. @maxItems 200 */
  amounts: ChargeAmount[];

  /** Of the charges proposed, those that the client accepted. */
  accepted: number;

  /** Their amounts, by currency. @maxItems 200 */
  acceptedAmounts: ChargeAmount[];

  /** Those that await an answer. */
  awaitingResponse: number;

  /** Those that the client rejected. */
  rejected: number;

  /** Those without an answer in time. */
  lapsed: number;

  /** Those withdrawn. */
  withdrawn: number;
}

@ApiSchema({ description: 'The extra charges proposed in this period, by category.' })
export class ChargeReport extends ListOf(ChargeRow, 5) {}
