import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../access/caller.js';
import { validated } from '../../http/valid.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { CountsService } from '../../follow-up/queue/counts.service.js';
import { FollowUpFilter, FollowUpQuery } from '../../follow-up/follow-up.dto.js';
import { FollowUpService } from '../../follow-up/queue/follow-up.service.js';
import { LiveService } from '../../follow-up/live/live.service.js';
import { OrderActionsService } from '../../follow-up/moves/order-actions.service.js';
import { OrderDetailService, readReference } from '../../follow-up/queue/order-detail.service.js';
import type { BulkTried } from './bulk-view.js';
import { DeskService } from '../shell/desk.service.js';
import type { Form } from '../forms/form.js';
import type { Preferences } from '../shell/preferences.js';
import { queueFilter, readQueueState } from './queue-state.js';
import { QueuePage } from './queue-view.js';
import { page } from '../shell/render.js';
import { saidBy } from '../shell/said.js';
import { SearchPage } from './search-view.js';
import { DAY } from '../../kernel/time.js';

/** Rows of a page. */
const ROWS = 50;
const MOST_TICKED = 100;

/** The pages that list orders. */
@Injectable()
export class QueuePages {
  constructor(
    private readonly desk: DeskService,
    private readonly followUp: FollowUpService,
    private readonly counts: CountsService,
    private readonly live: LiveService,
    private readonly actions: OrderActionsService,
    private readonly details: OrderDetailService,
  ) {}

  async show(
    query: Form,
    caller: StaffCaller,
    preferences: Preferences,
    bulk?: BulkTried,
  ): Promise<WrittenHtml> {
    const state = readQueueState(query);
    const asked = { ...queueFilter(state), limit: ROWS, cursor: state.cursor };
    const live = this.live.latest;
    const list = await this.followUp.list(await validated(FollowUpQuery, asked), caller);
    const desk = await this.desk.of(caller);
    const callBacks =
      list.items.length === 0
        ? await this.counts.callBacks(caller, new Date(desk.now.getTime() + DAY))
        : undefined;
    const choices = await this.desk.choices(state.client);
    const said = saidBy(query.text('said'));
    const refused = bulk !== undefined && bulk.faults.size > 0;
    return page(
      <QueuePage
        {...desk}
        state={state}
        list={list}
        choices={choices}
        preferences={preferences}
        live={live}
        said={said}
        callBacks={callBacks}
        bulk={bulk}
      />,
      refused ? 422 : undefined,
    );
  }

  /** The filter of an address of the queue, for its export. */
  filterOf(query: Form): Promise<FollowUpFilter> {
    return validated(FollowUpFilter, queueFilter(readQueueState(query)));
  }

  /** Assigns or hands over the ticked orders, each by itself, and shows the list again. */
  async giveTicked(
    query: Form,
    form: Form,
    caller: StaffCaller,
    preferences: Preferences,
  ): Promise<WrittenHtml> {
    const name = form.text('move') === 'assign' ? 'assign' : 'handOver';
    const tried = await this.readTicked(name, form);
    if (tried.faults.size > 0) return this.show(query, caller, preferences, tried);
    const seen = ticks(form);
    const ids = await this.details.idsOf([...seen.keys()]);
    const orders = [...seen].flatMap(([reference, version]) => {
      const orderId = ids.get(reference);
      return orderId === undefined ? [] : [{ reference, orderId, version }];
    });
    const { ownerId, note } = tried;
    const { results, failed } = await this.actions.giveMany(
      name,
      { orders, ownerId, ...(note !== '' && { note }) },
      caller,
    );
    const references = new Map(orders.map(({ orderId, reference }) => [orderId, reference]));
    return this.show(query, caller, preferences, {
      ...tried,
      done: name === 'assign' ? 'assigned' : 'handed over',
      ticked: new Set(
        results.flatMap(({ moved, orderId }) => (moved ? [] : (references.get(orderId) ?? []))),
      ),
      ...(failed === 0 && { ownerId: '', note: '' }),
      results: results.map((row) => ({ ...row, reference: references.get(row.orderId) ?? '' })),
    });
  }

  async search(query: Form, caller: StaffCaller): Promise<WrittenHtml | SeeOther> {
    const q = query.text('q').slice(0, 100);
    const asked = { view: 'all', q, sort: '-received', limit: ROWS };
    const list =
      q === '' ? null : await this.followUp.list(await validated(FollowUpQuery, asked), caller);
    const [only] = list?.items ?? [];
    if (only && list?.items.length === 1 && readReference(q) === only.reference) {
      return new SeeOther(`/staff/orders/${only.reference}`);
    }
    return page(<SearchPage {...await this.desk.of(caller)} q={q} list={list} />);
  }

  private async readTicked(name: 'assign' | 'handOver', form: Form): Promise<BulkTried> {
    const { people } = await this.desk.choices(undefined);
    const owner = people.find(({ id }) => id === form.text('ownerId'));
    const note = form.text('note');
    const seen = ticks(form);
    const faults = new Map<string, string>();
    if (seen.size === 0) faults.set('order', 'Tick the rows that you mean.');
    if (seen.size > MOST_TICKED) faults.set('order', `Tick at most ${MOST_TICKED} rows.`);
    if (!owner) faults.set('ownerId', 'Choose who gets them.');
    if (name === 'handOver' && note === '') {
      faults.set('note', 'Say what the next person should know.');
    }
    if ([...note].length > 2_000) faults.set('note', 'At most 2,000 characters.');
    return {
      faults,
      ownerId: owner?.id ?? '',
      ownerName: owner?.name ?? '',
      note,
      ticked: new Set(seen.keys()),
      done: null,
      results: [],
    };
  }
}

/** The ticked boxes: the order's reference with the version that was seen. */
function ticks(form: Form): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  for (const box of form.all('order')) {
    const [, reference, version] = /^(ORD-[0-9A-Z]{6})\.(\d{1,9})$/.exec(box) ?? [];
    if (reference !== undefined) seen.set(reference, Number(version));
  }
  return seen;
}
