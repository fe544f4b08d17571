import { Injectable, Logger } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { StaffCaller } from '../../platform/access/caller.js';
import { BackgroundBuffer } from '../../platform/kernel/background-buffer.js';
import { BackgroundWork } from '../../platform/kernel/background-work.js';
import { Clock } from '../../platform/kernel/clock.js';
import { newId } from '../../platform/database/new-id.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { OrderViewers } from './viewers.entity.js';

/** Milliseconds for which a viewer without a live stream counts. */
export const VIEWING = 30_000;
/** Milliseconds between two writes of this instance. */
const GATHERING = 2_000;

interface OrderViewing {
  readonly orderId: string;
  readonly staffId: string;
  readonly name: string;
  /** Live streams of this page. */
  streams: number;
  /** Counts until this time even without a stream. */
  until: number;
}

type ViewersListener = (orderIds: ReadonlySet<string>) => void;

/**
 * Who has which order open: a hint for staff, which refuses nothing. Each instance keeps its own
 * viewers in memory and shares them in one row. On SQLite there are no other instances and no rows.
 */
@Injectable()
export class ViewersService {
  private readonly logger = new Logger(ViewersService.name);
  private readonly instanceId = newId();
  private readonly here = new Map<string, OrderViewing>();
  private elsewhere: readonly OrderViewers[] = [];
  private listener: ViewersListener = () => {};
  private hasRow = false;
  private readonly changes: BackgroundBuffer<object>;

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    revisions.register('viewers', () => this.load());
    this.changes = new BackgroundBuffer({
      keyOf: () => 'viewers',
      write: () => this.store(),
      delay: GATHERING,
      onFailure: (error) =>
        this.logger.warn(`Other instances do not know the viewers of orders: ${String(error)}`),
    });
    background.atStop(async () => {
      await this.changes.flush();
      await this.leaveAll();
    });
  }

  /** Notifies `listener` of the orders whose viewers have changed. */
  follow(listener: ViewersListener): void {
    this.listener = listener;
  }

  saw(orderId: string, caller: StaffCaller): void {
    const viewing = this.viewing(orderId, caller);
    viewing.until = this.now() + VIEWING;
    this.changed(orderId);
  }

  /** The page has a live stream, until `leave`. */
  enter(orderId: string, caller: StaffCaller): void {
    this.viewing(orderId, caller).streams += 1;
    this.changed(orderId);
  }

  leave(orderId: string, { staffId }: StaffCaller): void {
    const viewing = this.here.get(`${orderId} ${staffId}`);
    if (!viewing) return;
    viewing.streams -= 1;
    if (viewing.streams > 0) return;
    viewing.until = 0;
    this.changed(orderId);
  }

  /** The names of the order's viewers without `me`. */
  of(orderId: string, me: string): string[] {
    const names = new Map<string, string>();
    for (const viewing of this.here.values()) {
      if (viewing.orderId === orderId && this.looks(viewing)) {
        names.set(viewing.staffId, viewing.name);
      }
    }
    for (const { viewings, seenAt } of this.elsewhere) {
      if (seenAt.getTime() <= this.now() - VIEWING) continue;
      for (const [id, staffId, name] of viewings) if (id === orderId) names.set(staffId, name);
    }
    names.delete(me);
    return [...names.values()].sort();
  }

  private viewing(orderId: string, { staffId, name }: StaffCaller): OrderViewing {
    const key = `${orderId} ${staffId}`;
    const viewing = this.here.get(key) ?? { orderId, staffId, name, streams: 0, until: 0 };
    this.here.set(key, viewing);
    return viewing;
  }

  private looks({ streams, until }: OrderViewing): boolean {
    return streams > 0 || until > this.now();
  }

  private now(): number {
    return this.clock.now().getTime();
  }

  private changed(orderId: string): void {
    this.listener(new Set([orderId]));
    this.changes.add({});
  }

  /** Renews this instance's row. */
  async repeat(): Promise<void> {
    if (this.here.size === 0 && !this.hasRow) return;
    this.changes.add({});
    await this.changes.flush();
  }

  /** Forgets viewers who have left, and writes this instance's row. */
  private async store(): Promise<void> {
    const gone = [...this.here].filter(([, viewing]) => !this.looks(viewing));
    for (const [key] of gone) this.here.delete(key);
    if (gone.length > 0) this.listener(new Set(gone.map(([, { orderId }]) => orderId)));
    const viewings = [...this.here.values()].map(
      ({ orderId, staffId, name }): [string, string, string] => [orderId, staffId, name],
    );
    const seenAt = this.clock.now();
    const stale = new Date(seenAt.getTime() - 2 * VIEWING);
    if (this.transactions.engine !== 'postgres') return;
    await this.transactions.run(async (tx) => {
      const { instanceId } = this;
      if (viewings.length === 0) await tx.delete(OrderViewers, { instanceId });
      else {
        const { affected } = await tx.update(OrderViewers, { instanceId }, { viewings, seenAt });
        if (affected === 0) await tx.insert(OrderViewers, { instanceId, viewings, seenAt });
      }
      await tx.delete(OrderViewers, { seenAt: LessThan(stale) });
      await this.revisions.bump(tx, 'viewers');
    });
    this.hasRow = viewings.length > 0;
  }

  private async load(): Promise<void> {
    const rows = await this.transactions.read((tx) => tx.find(OrderViewers));
    const others = rows.filter(({ instanceId }) => instanceId !== this.instanceId);
    const orderIds = [...this.elsewhere, ...others].flatMap(({ viewings }) =>
      viewings.map(([orderId]) => orderId),
    );
    this.elsewhere = others;
    this.listener(new Set(orderIds));
  }

  private async leaveAll(): Promise<void> {
    if (!this.hasRow) return;
    await this.transactions.run((tx) => tx.delete(OrderViewers, { instanceId: this.instanceId }));
  }
}
