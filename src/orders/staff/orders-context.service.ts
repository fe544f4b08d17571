import { undoneWords } from '../moves/move-words.js';
import { Injectable } from '@nestjs/common';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { Calendar } from '../../platform/kernel/working-hours.js';
import { OrderActionsService } from './order-actions.service.js';
import type { Undoable } from '../../platform/ui/undo-notice.js';
import { DeadlinesService } from '../placing/deadlines.service.js';

export interface OrdersContext {
  readonly viewer: StaffCaller;
  readonly now: Date;
  readonly calendar: Calendar;
  /** The viewer's last move, while it can be undone. */
  readonly undo: Undoable | null;
  /** A zone with its label in the live catalogue, where it has one. */
  readonly zoneInWords: (zone: string) => string;
}

@Injectable()
export class OrdersContextService {
  constructor(
    private readonly deadlines: DeadlinesService,
    private readonly actions: OrderActionsService,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
  ) {}

  async of(viewer: StaffCaller): Promise<OrdersContext> {
    const offer = await this.actions.undoOffer(viewer);
    const undo = offer && { ...offer, done: undoneWords(offer.action) };
    const zoneInWords = (zone: string) => this.zoneInWords(zone);
    return { viewer, now: this.clock.now(), calendar: this.deadlines.calendar, undo, zoneInWords };
  }

  private zoneInWords(zone: string): string {
    const label = this.catalogue.loaded && this.catalogue.current.zoneRow(zone)?.label;
    return label ? `${label} (${zone})` : zone;
  }
}
