import { QuotesTable } from '../../quotes/screens/quote-pages.js';
import { StaffQuotesService, type StaffQuoteSummary } from '../../quotes/staff-quotes.service.js';
import { FilterChoicesService } from './filter-choices.service.js';
import { Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Heavy } from '../../platform/access/rules.js';
import { DAY } from '../../platform/kernel/time.js';
import { attach, CSV } from '../../platform/http/attachment.js';
import { validated } from '../../platform/http/valid.js';
import { SeeOther } from '../../platform/http/written.js';
import { CountsService, MOST_SHOWN } from '../lists/counts.service.js';
import { FollowUpQuery, type FollowUpPage } from '../lists/list.dto.js';
import { FollowUpService } from '../lists/follow-up.service.js';
import { LiveService } from '../live/live.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import { OrderDetailService } from '../../orders/staff/order-detail.service.js';
import { notAllowed } from '../../orders/moves/move-faults.js';
import type { MoveInput } from '../../orders/moves/move-contents.js';
import { readQuoteReference, readReferences } from '../../orders/record/references.js';
import type { Response } from 'express';
import { ExportService } from '../lists/export.service.js';
import { refuseForm } from '../../platform/ui/forms/form-spec.js';
import { inputIn, readQuery, send } from '../../platform/ui/forms/input-form.js';
import { bulkForm, type BulkMoveName, type BulkTried } from './bulk-view.js';
import {
  OrdersContextService,
  type OrdersContext,
} from '../../orders/staff/orders-context.service.js';
import { Preferred, type Preferences } from '../../platform/ui/preferences.js';
import { filterForm } from './queue-filters.js';
import { activeFilters, listQuery, queueAddress, readQueueState } from './queue-state.js';
import { viewsByQuote } from '../lists/views.js';
import { QueuePage, countWords } from './queue-view.js';
import { fragment, page } from '../../platform/ui/render.js';
import { orderMessages } from '../../orders/staff/order-messages.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import type { TimelineEntry } from '../../orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { parsePostcode, Postcode, PostcodeRefusal } from '../../platform/kernel/postcode.js';
import { stateInfo } from '../../orders/record/order-states.js';
import { Time, Empty } from '../../platform/ui/parts.js';
import { actionWords, commentOf } from '../../orders/staff/order-words.js';
import { Section } from '../../platform/ui/table.js';
import { Layout } from '../../platform/ui/layout.js';
import { RelatedOrders } from '../order/order-parts.js';
import { upperFirst } from '../../platform/kernel/text.js';

interface SearchPageProps extends OrdersContext {
  /** The search text; empty before the first search. */
  readonly q: string;
  readonly list: FollowUpPage | null;
  /** The newest ones that it finds. */
  readonly quotes: readonly StaffQuoteSummary[];
}

/** Finds orders by reference, postcode, client, contact or note. */
function SearchPage({ viewer, q, list, quotes, now, calendar }: SearchPageProps) {
  const orders = list?.items ?? [];
  const title = list === null ? 'Search' : `${countWords(list)} found`;
  const postcode = parsePostcode(q);
  return (
    <Layout title={title} viewer={viewer} help="lists" searched={q} width="wide">
      {postcode instanceof Postcode && (
        <p class="lead">
          <a href={`/staff/check?postcode=${encodeURIComponent(postcode.unit)}`}>
            {`Check availability at ${postcode.unit}`}
          </a>
        </p>
      )}
      {orders.length === 0 && (
        <Empty title={list === null ? 'What are you looking for?' : 'No orders found.'}>
          {postcode instanceof PostcodeRefusal && postcode.suggestion !== undefined && (
            <p>
              {'Did you mean '}
              <a href={`/staff/search?q=${encodeURIComponent(postcode.suggestion)}`}>
                {postcode.suggestion}
              </a>
              ?
            </p>
          )}
          <p>
            Search for a reference such as ORD-7F3K9Q, an order or check ID, all or part of a
            postcode, a client, a contact's name, email or phone number (its last six digits are
            enough), the client's reference, or whole words from notes. Several words find what has
            all of them, such as “Larkrise E1 8PX”.
          </p>
        </Empty>
      )}
      {quotes.length > 0 && (
        <Section title={`Quotes for “${q}”, newest first`} id="quotes">
          <QuotesTable quotes={quotes} now={now} />
          <p>
            <a href={`/staff/quotes?q=${encodeURIComponent(q)}`}>Search all quotes</a>
          </p>
        </Section>
      )}
      <RelatedOrders
        id="found"
        title={(what) => upperFirst(`${what} for “${q}”, newest first`)}
        orders={orders}
        show={['client', 'postcode']}
        now={now}
        calendar={calendar}
      />
      {list !== null && list.nextCursor !== null && (
        <p>
          <a href={`/staff/queue?view=all&q=${encodeURIComponent(q)}&sort=-received`}>
            View all, with filters
          </a>
        </p>
      )}
    </Layout>
  );
}

/** Options below the search field. A script opens the address of the chosen one. */
function Suggestions({ q, orders }: { q: string; orders: readonly FollowUpOrder[] }) {
  const postcode = parsePostcode(q);
  const meant =
    orders.length === 0 && postcode instanceof PostcodeRefusal ? postcode.suggestion : undefined;
  return (
    <>
      {postcode instanceof Postcode && (
        <li role="option" data-href={`/staff/check?postcode=${encodeURIComponent(postcode.unit)}`}>
          {`Check availability at ${postcode.unit}`}
        </li>
      )}
      {meant !== undefined && (
        <li role="option" data-href={`/staff/search?q=${encodeURIComponent(meant)}`}>
          {`Did you mean ${meant}?`}
        </li>
      )}
      {orders.map(({ reference, client, contact, postcode: place, state }) => (
        <li role="option" data-href={`/staff/orders/${reference}`}>
          <b>{reference}</b> <span>{`${client.name}, ${contact.name ?? client.contactName}`}</span>{' '}
          <small>{`${place}, ${stateInfo[state].name}`}</small>
        </li>
      ))}
    </>
  );
}

interface LastNoteProps {
  /** Newest first. */
  readonly entries: readonly TimelineEntry[];
  /** From the client, with the order. */
  readonly notes: string | null;
  readonly now: Date;
}

/** The last note of a person on an order; without one the client's notes, and the last event. */
function LastNote({ entries, notes, now }: LastNoteProps) {
  const noted = entries.find((entry) => entry.actorType !== 'system' && commentOf(entry) !== '');
  const last = noted ?? entries[0];
  return (
    <>
      {noted && <p class="prose">{commentOf(noted)}</p>}
      {!noted && <p class="prose">{notes ?? 'No notes yet.'}</p>}
      {last && (
        <p class="muted">
          {`${last.actorName} ${actionWords(last)}, `}
          <Time at={last.at} now={now} />
        </p>
      )}
    </>
  );
}

const ROWS = 50;
const MOST_SELECTED = 100;
/** Orders are counted up to this number, as in the navigation. */
const MOST_COUNTED = MOST_SHOWN;
const MOST_SUGGESTED = 7;

/** The lists of orders: the queue and the search. */
@StaffPages('staff', 'agent')
export class QueueController {
  constructor(
    private readonly context: OrdersContextService,
    private readonly choices: FilterChoicesService,
    private readonly followUp: FollowUpService,
    private readonly counts: CountsService,
    private readonly live: LiveService,
    private readonly actions: OrderActionsService,
    private readonly details: OrderDetailService,
    private readonly quotes: StaffQuotesService,
  ) {}

  @Get()
  goHome() {
    return new SeeOther('/staff/queue');
  }

  @Get('queue')
  @Heavy('q')
  showQueue(@Visited() { viewer, query }: Visit, @Preferred() preferences: Preferences) {
    return this.draw(query, viewer, preferences);
  }

  private async draw(form: Form, viewer: StaffCaller, preferences: Preferences, bulk?: BulkTried) {
    const state = readQueueState(form);
    const live = this.live.latest;
    const choices = await this.choices.of();
    const read = readQuery(filterForm(choices), form, 'filter');
    const refusal = 'refused' in read ? read : undefined;
    // A filter may be met by some sites of a quote only.
    const isByQuote = viewsByQuote.has(state.view) && activeFilters(state).length === 0;
    const list =
      'refused' in read
        ? { items: [], nextCursor: null, total: 0, totalIsExact: true }
        : await this.followUp.list(
            { ...listQuery(read.input), limit: ROWS },
            viewer,
            MOST_COUNTED,
            isByQuote,
          );
    const quotes = isByQuote ? await this.quotes.groupsOf(list.items) : new Map<string, never>();
    const context = await this.context.of(viewer);
    const callBacks =
      list.items.length === 0
        ? await this.counts.callBacks(viewer, new Date(context.now.getTime() + DAY))
        : undefined;
    const said = orderMessages.in(form);
    const isRefused = (bulk?.refused?.faults.size ?? 0) > 0;
    const shown = { state, list, quotes, choices, preferences, live, said, callBacks, bulk };
    return page(
      <QueuePage {...context} {...shown} refusal={refusal} />,
      refusal ? 400 : isRefused ? 422 : undefined,
    );
  }

  /** Reloading the result of the bulk form leads back to the list. */
  @Get('queue/bulk')
  goBackToQueue(@Visited() { query }: Visit) {
    return new SeeOther(queueAddress(readQueueState(query)));
  }

  /** Assigns, hands over or cancels each selected order, or writes to its client, and shows the list again. */
  @Post('queue/bulk')
  @HttpCode(200)
  async moveSelected(
    @Visited() { viewer, form, query }: Visit,
    @Preferred() preferences: Preferences,
  ) {
    const name = bulkMoveOf(form);
    const { items: people } = await this.actions.people();
    const seen = selectedOrders(form);
    const faults = [
      ...(seen.size === 0 ? [notAllowed('order', 'Select at least one order.')] : []),
      ...(seen.size > MOST_SELECTED
        ? [notAllowed('order', `Select at most ${MOST_SELECTED} orders.`)]
        : []),
    ];
    const selection = bulkForm(name, people, faults);
    const ownerId = form.text('ownerId');
    const tried: BulkTried = {
      refused: refuseForm(selection.fields, form, new Map()),
      ticked: new Set(seen.keys()),
      done: doneBy[name],
      ownerName:
        name === 'cancel' || name === 'reply'
          ? null
          : (people.find(({ id }) => id === ownerId)?.name ?? ''),
      results: [],
    };
    const sent = await send(selection, form, async (content) => {
      const ids = await this.details.idsOf([...seen.keys()]);
      const references = new Map([...ids].map(([reference, orderId]) => [orderId, reference]));
      const orders = [...seen].flatMap(([reference, version]) => {
        const orderId = ids.get(reference);
        return orderId === undefined ? [] : [{ orderId, version }];
      });
      const moved = await this.actions.moveMany(orders, { ...content, name } as MoveInput, viewer);
      return moved.results.map((row) => ({
        ...row,
        reference: references.get(row.orderId) ?? '',
      }));
    });
    if ('refused' in sent) {
      return this.draw(query, viewer, preferences, { ...tried, refused: sent.refused });
    }
    const results = sent.result;
    const failed = results.filter(({ moved }) => !moved);
    return this.draw(query, viewer, preferences, {
      ...tried,
      ticked: new Set(failed.map(({ reference }) => reference)),
      refused: failed.length === 0 ? null : tried.refused,
      results,
    });
  }

  @Get('search')
  @Heavy('q')
  async search(@Visited() { viewer, query }: Visit) {
    const q = query.text('q').slice(0, 100);
    const quote = readQuoteReference(q);
    if (quote !== undefined) return new SeeOther(`/staff/quotes/${quote}`);
    const filter = { view: 'all', q, sort: '-received', limit: ROWS };
    const list =
      q === ''
        ? null
        : await this.followUp.list(await validated(FollowUpQuery, filter), viewer, MOST_COUNTED);
    const { items: quotes } =
      q === '' ? { items: [] } : await this.quotes.list({ q: q.trim() }, MOST_SUGGESTED);
    const [only, second] = list?.items ?? [];
    // A postcode also leads to the check.
    const isPlace = parsePostcode(q) instanceof Postcode;
    const isOnly = only && !second && list?.totalIsExact && !isPlace && quotes.length === 0;
    if (only && (isOnly || (!second && readReferences(q).includes(only.reference)))) {
      return new SeeOther(`/staff/orders/${only.reference}`);
    }
    return page(
      <SearchPage {...await this.context.of(viewer)} q={q} list={list} quotes={quotes} />,
    );
  }
}

/** Parts of pages, for scripts. */
@StaffPages('staff', 'agent')
export class QueueFragmentsController {
  constructor(
    private readonly followUp: FollowUpService,
    private readonly details: OrderDetailService,
    private readonly context: OrdersContextService,
  ) {}

  /** What a search would find, while it is typed. */
  @Get('search/suggestions')
  @Heavy('q')
  async suggest(@Visited() { viewer, query }: Visit) {
    const q = query.text('q').slice(0, 100);
    const orders = q === '' ? [] : await this.followUp.suggest(q, MOST_SUGGESTED, viewer);
    return fragment(<Suggestions q={q} orders={orders} />);
  }

  @Get('queue/notes/:reference')
  async showLastNote(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    const { now } = await this.context.of(viewer);
    return fragment(<LastNote {...await this.details.latest(reference)} now={now} />);
  }
}

/** The full list, as CSV. */
@StaffPages('staff', 'agent')
export class QueueExportController {
  constructor(
    private readonly exports: ExportService,
    private readonly choices: FilterChoicesService,
  ) {}

  @Get('queue.csv')
  @Heavy()
  async exportQueue(@Visited() { viewer, query }: Visit, @Res() response: Response) {
    const filter = inputIn(filterForm(await this.choices.of()), query);
    const whole = await this.exports.begin(listQuery(filter), viewer);
    attach(response, CSV, 'orders.csv');
    await whole.writeTo(response);
  }
}

const doneBy = {
  assign: 'assigned',
  handOver: 'handed over',
  cancel: 'cancelled',
  reply: 'got the message',
} as const;

function bulkMoveOf(form: Form): BulkMoveName {
  const move = form.text('move');
  return move === 'assign' || move === 'cancel' || move === 'reply' ? move : 'handOver';
}

/** The references of the selected orders, each with the version that the page showed. */
function selectedOrders(form: Form): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  for (const box of form.all('order')) {
    const [, reference, version] = /^((?:ORD|ENQ)-[0-9A-Z]{6})\.(\d{1,9})$/.exec(box) ?? [];
    if (reference !== undefined) seen.set(reference, Number(version));
  }
  return seen;
}
