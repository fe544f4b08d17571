import { ApiSchema } from '@nestjs/swagger';
import type { CancellationPhase } from '../../catalogue/content/cancellation.js';
import type { MilestoneCode, WaitingParty } from './milestones.js';

@ApiSchema({ description: 'A change of the committed date.' })
export class DeliveryDateChange {
  /** The date before; null for the first one. @format date @example "2026-11-27" */
  from: string | null;

  /** The new date. @format date @example "2026-12-04" */
  to: string;

  /** When it was changed, UTC. */
  at: Date;
}

@ApiSchema({ description: 'A milestone of a delivery. Not every delivery needs every milestone.' })
export class DeliveryMilestone {
  /**
   * `surveyed`: the site survey is done. `wayleave`: the landlord's consent is granted. `built`: the build is
   * finished. `appointment`: the visit at the site is booked. `installed`: the equipment is in. `tested`: the
   * service has passed its test. `live`: the service is handed over, and billing starts.
   * @enumName MilestoneCode
   */
  code: MilestoneCode;

  /** The day for which it is planned, in London; null without a plan. @format date @example "2026-12-02" */
  plannedFor: string | null;

  /** The day on which it was done, in London; null before. @format date @example "2026-12-02" */
  doneOn: string | null;
}

@ApiSchema({ description: 'What a delivery waits for.' })
export class DeliveryWait {
  /**
   * Who has to act: the `client`, the `operator` or a `thirdParty` such as a landlord.
   * @enumName WaitingParty
   */
  party: WaitingParty;

  /** What they have to do. @maxLength 200 @example "Name a site contact for the survey." */
  what: string;

  /** Since when, UTC. */
  since: Date;
}

@ApiSchema({ description: 'What cancelling an accepted order costs.' })
export class AskedCancellationCost {
  /** One-off, excluding VAT, in units of the currency; 0 is free. @minimum 0 @maximum 2147483647 @example 250 */
  amount: number;

  /** That of the order. @kind currency */
  currency: string;
}

@ApiSchema({ description: 'What cancelling an accepted order costs now, by the list of charges.' })
export class CancellationCost extends AskedCancellationCost {
  /**
   * Since when: `accepted`, or the latest milestone: `surveyed`, `wayleave`, `built`,
   * `appointment`, `installed`, `tested` or `live`.
   * @example "surveyed"
   */
  after: CancellationPhase;
}

@ApiSchema({
  description:
    'Working days in London for which a delivery has waited, until it is live or until now. The day on which a wait starts does not count.',
})
export class DeliveryWaited {
  /** For the client. @kind count @example 6 */
  client: number;

  /** For the operator. @kind count @example 2 */
  operator: number;

  /** For third parties such as a landlord. @kind count @example 15 */
  thirdParty: number;
}

@ApiSchema({
  description: 'What happens between the acceptance of an order and a working service.',
})
export class OrderDelivery {
  /** The service or circuit in the operator's systems; null until it is known. @maxLength 64 @example "CCT-204417" */
  serviceId: string | null;

  /** The day on which the order was accepted, in London. @format date @example "2026-09-14" */
  acceptedOn: string;

  /** The day, in London, by which the operator commits to deliver; null until there is one. @format date @example "2026-12-04" */
  committedDate: string | null;

  /** The changes of `committedDate`, oldest first. @maxItems 100 */
  dateChanges: DeliveryDateChange[];

  /** All milestones, in their usual order. @maxItems 20 */
  milestones: DeliveryMilestone[];

  /** Null while the delivery waits for no one. */
  waitingFor: DeliveryWait | null;

  /** How long it has waited, and for whom. */
  waited: DeliveryWaited;

  /** The day on which the service went live, in London; null before. @format date @example "2026-12-03" */
  liveOn: string | null;

  /** When the client asked to cancel the accepted order, UTC; null if there is no open request. */
  cancellationRequestedAt: Date | null;

  /**
   * What a cancellation costs. Null where the operator says it on request, and once nothing is left to cancel. Not for
   * the compatibility `0.2`.
   * @example null
   */
  cancellation?: CancellationCost | null;
}

@ApiSchema({ description: 'A delivery as staff see it.' })
export class StaffDelivery extends OrderDelivery {
  /** `acceptedOn` and the lead time of the agreed terms, in London. @format date @example "2026-12-07" */
  promisedOn: string;

  /** When the client was last reminded of what it is waited for, UTC; null if it was not. */
  remindedAt: Date | null;

  /**
   * What is unusual about the days, in words: a milestone that is done or planned before one that usually comes first.
   * @maxItems 20
   * @maxLength 200
   * @example ["Tested (4 December 2026) is before Built (9 December 2026), which usually comes first."]
   */
  warnings: string[];
}
