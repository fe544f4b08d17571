import { Injectable } from '@nestjs/common';
import { HOUR } from '../../platform/kernel/time.js';
import { Clock } from '../../platform/kernel/clock.js';
import { subtractWorkingTime } from '../../platform/kernel/working-hours.js';
import { Config } from '../../platform/config/config.js';
import { Transactions } from '../../platform/database/transactions.js';
import { DeadlinesService } from '../../orders/placing/deadlines.service.js';
import { MovesService } from '../../orders/moves/moves.service.js';
import { moveRules } from '../../orders/moves/move-rules.js';
import { Order } from '../../orders/record/order.entity.js';

/** Orders released in one run. */
const MOST_AT_ONCE = 200;

/**
 * Returns claimed orders without activity to the queue. A scheduled order counts from the time when
 * it became due. Several instances may run at once: each order is released only once.
 */
@Injectable()
export class StaleClaimsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @returns how many orders it released */
  async releaseStale(): Promise<number> {
    const hours = this.config.staleClaimHours;
    if (hours === 0) return 0;
    await this.transactions.refuseClockAhead();
    const now = this.clock.now();
    const before = subtractWorkingTime(now, hours * HOUR, this.deadlines.calendar);
    const stale = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .where('o.closedAt IS NULL AND o.state IN (:...states) AND o.lastEntryAt < :before')
        .andWhere('(o.nextActionAt IS NULL OR o.nextActionAt < :before)')
        .setParameters({ before: before.getTime(), states: moveRules.release.from.enquiry })
        .orderBy('o.receivedAt', 'ASC')
        .limit(MOST_AT_ONCE)
        .getMany(),
    );
    let released = 0;
    const reason = `No activity for ${hours} working hours`;
    for (const order of stale) {
      const moved = await this.moves.run((tx) =>
        this.moves.attempt(tx, order, { name: 'release', reason }, { kind: 'staleRule' }),
      );
      if (moved) released += 1;
    }
    return released;
  }
}
