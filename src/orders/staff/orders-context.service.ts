import type { AloneLimit } from '../moves/move-faults.js';
import { nameOf, nextActionNames } from '../moves/move-fields.js';
import { moveWords, undoneWords } from '../moves/move-words.js';
import { moveRules } from '../moves/move-rules.js';
import { shortTime } from '../../platform/kernel/time-words.js';
import type { UndoOffer } from '../moves/undo.service.js';
import { Injectable } from '@nestjs/common';
import type { PointsAround } from '../../near-net/network.js';
import { Config } from '../../platform/config/config.js';
import { parsePostcode, Postcode } from '../../platform/kernel/postcode.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import type { FollowUpOrder } from './follow-up.dto.js';
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
  /** For a map: the network around a place that nothing covers. */
  /** Up to which amount one person may write an offer or a charge and record its acceptance. */
  readonly aloneUpTo: AloneLimit | null;
  readonly pointsAround: (place: RequestedPlace) => PointsAround | null;
}

type RequestedPlace = Pick<FollowUpOrder, 'postcode' | 'uprn' | 'zone' | 'nearest'>;

/** Points of the network on the map of a place. */
export const MOST_POINTS = 5;

@Injectable()
export class OrdersContextService {
  constructor(
    private readonly deadlines: DeadlinesService,
    private readonly actions: OrderActionsService,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async of(viewer: StaffCaller): Promise<OrdersContext> {
    const offer = await this.actions.undoOffer(viewer);
    const now = this.clock.now();
    const undo = offer && undoableOf(offer, now);
    const zoneInWords = (zone: string) => this.catalogue.zoneInWords(zone);
    const pointsAround = (place: RequestedPlace) => this.pointsAround(place);
    const shared = { now, calendar: this.deadlines.calendar };
    const aloneUpTo = this.config.acceptanceAloneUpTo;
    return { viewer, ...shared, undo, zoneInWords, pointsAround, aloneUpTo };
  }

  /** Null without a distance: where the settings of the client hide prices by distance from staff, it has none. */
  private pointsAround({ postcode, uprn, zone, nearest }: RequestedPlace): PointsAround | null {
    const parsed = parsePostcode(postcode);
    const isShown = zone === null && nearest !== null && this.catalogue.loaded;
    if (!isShown || !(parsed instanceof Postcode)) return null;
    const place = { packed: parsed.packed, uprn: uprn === null ? null : parseUprn(uprn) };
    return this.catalogue.current.pointsAround(place, MOST_POINTS);
  }
}

/** Of a call, what was saved: the page of the next order may be the first to say it. */
function undoableOf({ next, ...offer }: UndoOffer, now: Date): Undoable {
  const { action } = offer;
  const isCall = action === moveRules.logContact.action || action === moveRules.schedule.action;
  if (!isCall) return { ...offer, done: undoneWords(action), isReceipt: false };
  const { nextActionAt, nextActionReason } = next;
  const done = nextActionAt
    ? `${nameOf(nextActionNames, nextActionReason ?? '')} on ${shortTime(nextActionAt, now)}`
    : moveWords.logContact.done.replace(/\.$/, '').toLowerCase();
  return { ...offer, done, isReceipt: true };
}
