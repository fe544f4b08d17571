import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { ShownService } from '../catalogue/shown/shown.service.js';
import { ApiClient, DIRECT_CLIENT, isDirectClient } from '../clients/api-client.entity.js';
import { ClientsService } from '../clients/clients.service.js';
import { UNDO_TIME } from '../orders/moves/undo.service.js';
import { onTelephone, type TelephoneClient } from '../orders/placing/ordering-client.js';
import type { Actor } from '../platform/audit/audit.service.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { isUuid } from '../platform/kernel/uuid.js';
import { Unavailable, ValidationFailed } from '../platform/problems/problem.js';
import { StaffMember } from '../staff/member/staff-member.entity.js';
import { LineUses } from './record/line-states.js';
import { printLine } from './record/print-quote.js';
import { Quote } from './record/quote.entity.js';
import type { QuoteLineView, WantedBySite } from './record/quotes.dto.js';
import { QuotesService } from './quotes.service.js';
import { SiteAnswersService } from './site-answers.service.js';
import { readSiteList, listText, type SiteList, sitesOf } from './site-list.js';
import {
  bodyOf,
  columnsAsKnown,
  type DraftBody,
  type ListAnswers,
  listOf,
  namesOf,
  packDraft,
  type TypedCells,
  unanswered,
  withCells,
} from './draft-body.js';
import { DraftNotFound, DraftNotSent } from './quotes.errors.js';
import { QuoteColumns, QuoteDraft } from './record/quote-draft.entity.js';

/** What a draft starts from. */
export interface NewDraft {
  /** Of the form: sent again, it is the same draft. */
  readonly id: string;
  /** Of the client. */
  readonly client: string;
  readonly customer?: string | undefined;
  readonly reference?: string | undefined;
  /** Pasted cells, or the text of a file. */
  readonly sites?: string | undefined;
}

export interface DraftSummary extends Pick<
  QuoteDraft,
  'id' | 'customer' | 'clientReference' | 'updatedAt'
> {
  readonly client: string;
  /** Who made it. */
  readonly maker: string;
}

/** A draft with its list as it is read, and the lines that the quote would have. */
export interface DraftView extends DraftSummary, Pick<QuoteDraft, 'version'> {
  readonly isDirect: boolean;
  readonly body: DraftBody;
  readonly list: SiteList;
  readonly lines: readonly QuoteLineView[];
  /** What the catalogue sells; with several, a list that says none needs an answer. */
  readonly services: readonly string[];
  /** What has to be answered before the quote is sent. */
  readonly open: readonly ('columns' | 'unit' | 'service')[];
}

const CHANGED = 'The draft has changed since you saw it. Look at it again, then send it.';

/** How often a change starts again because a colleague was faster. */
const MOST_TRIES = 10;

/** Quotes that staff prepare for clients, or for callers without an account. Nothing of them is shown to a client. */
@Injectable()
export class QuoteDraftsService {
  constructor(
    private readonly quotes: QuotesService,
    private readonly answers: SiteAnswersService,
    private readonly clients: ClientsService,
    private readonly shown: ShownService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** @returns its id @throws {ValidationFailed | UnreadableList} */
  async start(draft: NewDraft, maker: Actor): Promise<string> {
    if (!isUuid(draft.id)) throw new DraftNotFound();
    const id = draft.id.toLowerCase();
    if (await this.transactions.read((tx) => tx.existsBy(QuoteDraft, { id }))) return id;
    const client = await this.clientFor(draft.client, maker);
    if (isDirectClient(client) && draft.customer === undefined) {
      throw fault(
        '/customer',
        'Enter the name of the caller or company: the document is for them.',
      );
    }
    if (draft.sites === undefined) throw fault('/sites', 'Choose a file, or paste the sites.');
    const body = await this.bodyOfText(draft.sites, client.id);
    const now = this.clock.now();
    const row: QuoteDraft = {
      id,
      clientId: client.id,
      staffId: maker.id!,
      version: 0,
      quoteId: null,
      customer: draft.customer ?? null,
      clientReference: draft.reference ?? null,
      body: await packDraft(body),
      createdAt: now,
      updatedAt: now,
    };
    await this.transactions.run((tx) => tx.insert(QuoteDraft, row));
    return id;
  }

  private async clientFor(id: string, maker: Actor): Promise<ApiClient> {
    if (id === DIRECT_CLIENT.id) return this.clients.direct(maker);
    const client = (await this.clients.list()).find((one) => one.id === id);
    if (client?.enabled) return client;
    throw fault('/client', 'Choose a client that is enabled.');
  }

  /** The columns are read as those of the client's list before. @throws {ValidationFailed | UnreadableList} */
  private async bodyOfText(sites: string, clientId: string): Promise<DraftBody> {
    const list = await listIn(sites);
    const kept = await this.transactions.read((tx) => tx.findOneBy(QuoteColumns, { clientId }));
    const known = kept?.columns ?? {};
    const columns = columnsAsKnown(list.columns, known);
    const body = { ...unanswered, text: listText(list), columns };
    const isKnown = list.columns.every(({ name }) => Object.hasOwn(known, name));
    return { ...body, isSettled: isKnown || (await listOf(body)).faults.length === 0 };
  }

  /** Not yet sent, the last changed one first. */
  list(): Promise<DraftSummary[]> {
    return this.transactions.read(async (tx) => {
      const drafts = await tx.find(QuoteDraft, {
        select: {
          id: true,
          clientId: true,
          staffId: true,
          customer: true,
          clientReference: true,
          updatedAt: true,
        },
        where: { quoteId: IsNull() },
        order: { updatedAt: 'DESC', id: 'ASC' },
        take: 50,
      });
      const clients = await tx.findBy(ApiClient, { id: In(drafts.map((one) => one.clientId)) });
      const staff = await tx.findBy(StaffMember, { id: In(drafts.map((one) => one.staffId)) });
      return drafts.map((draft) => ({
        ...draft,
        client: clients.find(({ id }) => id === draft.clientId)?.name ?? '',
        maker: staff.find(({ id }) => id === draft.staffId)?.name ?? '',
      }));
    });
  }

  /** @throws {DraftNotFound} also for one that was sent */
  async find(id: string): Promise<DraftView> {
    const { draft, client, maker } = await this.read(id);
    const body = await bodyOf(draft);
    const list = await listOf(body);
    const lines = await this.linesOf(list, body, onTelephone(client));
    const services = this.servicesFor(onTelephone(client));
    return {
      ...draft,
      client: client.name,
      isDirect: isDirectClient(client),
      maker,
      body,
      list,
      lines,
      services,
      open: this.openOf(list, services),
    };
  }

  private openOf(list: SiteList, services: readonly string[]): DraftView['open'] {
    return [
      ...(list.faults.length > 0 ? (['columns'] as const) : []),
      ...(list.needsUnit ? (['unit'] as const) : []),
      ...(list.needsService && services.length > 1 ? (['service'] as const) : []),
    ];
  }

  private read(id: string) {
    return this.transactions.read(async (tx) => {
      const draft = isUuid(id) && (await tx.findOneBy(QuoteDraft, { id: id.toLowerCase() }));
      if (!draft || draft.quoteId !== null) throw new DraftNotFound();
      const client = await tx.findOneByOrFail(ApiClient, { id: draft.clientId });
      const maker = await tx.findOneBy(StaffMember, { id: draft.staffId });
      return { draft, client, maker: maker?.name ?? '' };
    });
  }

  private servicesFor(client: TelephoneClient): string[] {
    const { products } = this.shown.shownTo(client).current.content;
    return [...new Set(products.flatMap(({ service }) => service ?? []))].sort();
  }

  private async linesOf(list: SiteList, body: DraftBody, client: TelephoneClient) {
    const { lines } = await this.answers.answer(
      { sites: sitesIn(list), wanted: wantedIn(body) },
      client,
    );
    const unused = new LineUses([], []);
    return lines.map((line, i) => printLine(line, i + 1, unused));
  }

  /** Answers the questions of a list, or some of them. Chosen columns are kept for the next list of the client. */
  async answer(id: string, answers: Partial<ListAnswers>): Promise<void> {
    const { draft, list } = await this.change(id, (body) => ({ ...body, ...answers }));
    if (answers.columns === undefined || list.faults.length > 0) return;
    const { clientId } = draft;
    const row = { clientId, columns: namesOf(list.columns), updatedAt: this.clock.now() };
    await this.transactions.run(async (tx) => {
      const { affected } = await tx.update(QuoteColumns, { clientId }, row);
      if (affected === 0) {
        await tx.createQueryBuilder().insert().into(QuoteColumns).values(row).orIgnore().execute();
      }
    });
  }

  /** Replaces the list, as a person has corrected it. @throws {ValidationFailed | UnreadableList} */
  replaceList(id: string, sites: string): Promise<unknown> {
    return this.change(id, async (body, list) => {
      const corrected = await listIn(sites);
      const known = { ...namesOf(list.columns), problem: '' };
      const columns = columnsAsKnown(corrected.columns, known);
      return { ...body, text: listText(corrected), columns };
    });
  }

  /** @param typed by the number of the row from 0 */
  correct(id: string, typed: ReadonlyMap<number, TypedCells>): Promise<unknown> {
    return this.change(id, (body, list) => ({ ...body, text: withCells(list, typed) }));
  }

  /** Corrects one row. @returns its line then, and the version of the draft */
  async correctLine(id: string, number: number, cells: TypedCells) {
    const typed = new Map([[number - 1, cells]]);
    const { draft, client, body, list } = await this.change(id, (before, present) => {
      if (!present.rows[number - 1]) throw new DraftNotFound();
      return { ...before, text: withCells(present, typed) };
    });
    const rows = list.rows.slice(number - 1, number);
    const [line] = await this.linesOf({ ...list, rows }, body, onTelephone(client));
    return { line: { ...line!, lineId: String(number) }, version: draft.version };
  }

  /** Starts again where another change was faster. @throws {DraftNotFound} */
  private async change(
    id: string,
    work: (body: DraftBody, list: SiteList) => DraftBody | Promise<DraftBody>,
  ) {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { draft, client } = await this.read(id);
      const before = await bodyOf(draft);
      const body = await work(before, await listOf(before));
      const { version } = draft;
      const updatedAt = this.clock.now();
      const changes = { body: await packDraft(body), version: version + 1, updatedAt };
      const here = { id: draft.id, version, quoteId: IsNull() };
      const { affected } = await this.transactions.run((tx) =>
        tx.update(QuoteDraft, here, changes),
      );
      if (affected === 1)
        return { draft: { ...draft, ...changes }, client, body, list: await listOf(body) };
    }
    throw new Unavailable('Colleagues change this draft at the moment.');
  }

  async remove(id: string): Promise<void> {
    await this.transactions.run((tx) => tx.delete(QuoteDraft, { id, quoteId: IsNull() }));
  }

  /**
   * Makes the quote. The client sees it once that cannot be undone any more.
   * @param version that the person has seen
   * @param typed corrections that are not stored yet, as in `correct`
   * @returns the reference of the quote; sent again, it is the same quote
   * @throws {DraftNotFound | DraftNotSent}
   */
  async send(
    id: string,
    version: number,
    typed: ReadonlyMap<number, TypedCells>,
    maker: Actor,
  ): Promise<string> {
    const sent = await this.sentAs(id);
    if (sent !== null) return sent;
    const { draft, client } = await this.read(id);
    const { clientReference, customer } = draft;
    if (draft.version !== version) throw new DraftNotSent(CHANGED);
    const before = await bodyOf(draft);
    const corrected = { ...before, text: withCells(await listOf(before), typed) };
    const list = await listOf(corrected);
    if (this.openOf(list, this.servicesFor(onTelephone(client))).length > 0) {
      throw new DraftNotSent('Answer the questions about the list first.');
    }
    const body = await packDraft(corrected);
    const request = {
      reference: clientReference ?? undefined,
      customer: customer ?? undefined,
      wanted: wantedIn(corrected),
      sites: sitesIn(list),
    };
    const release = {
      undoTime: UNDO_TIME,
      claim: async (tx: Tx, quoteId: string) => {
        const here = { id: draft.id, version, quoteId: IsNull() };
        const updatedAt = this.clock.now();
        const { affected } = await tx.update(QuoteDraft, here, { quoteId, body, updatedAt });
        if (affected !== 1) throw new DraftNotSent(CHANGED);
      },
    };
    try {
      const made = await this.quotes.create(
        request,
        undefined,
        onTelephone(client),
        maker,
        release,
      );
      return made.quoteReference;
    } catch (error) {
      const meanwhile = error instanceof DraftNotSent ? await this.sentAs(id) : null;
      if (meanwhile === null) throw error;
      return meanwhile;
    }
  }

  /** The reference of the quote as which it was sent; null if it was not. */
  private sentAs(id: string): Promise<string | null> {
    return this.transactions.read(async (tx) => {
      const draft = isUuid(id) && (await tx.findOneBy(QuoteDraft, { id: id.toLowerCase() }));
      if (!draft || draft.quoteId === null) return null;
      return (await tx.findOneBy(Quote, { id: draft.quoteId }))?.reference ?? null;
    });
  }
}

/** @throws {ValidationFailed | UnreadableList} */
async function listIn(sites: string): Promise<SiteList> {
  const list = await readSiteList(Buffer.from(sites));
  if (list.rows.length === 0) throw fault('/sites', 'There is no row with a site.');
  return list;
}

/** Also while the names of the columns have faults. */
function sitesIn(list: SiteList): object[] {
  return sitesOf({ ...list, faults: [] });
}

function wantedIn({ bandwidth, term, service }: DraftBody): WantedBySite {
  return {
    bandwidth: bandwidth ?? undefined,
    term: term ?? undefined,
    service: service || undefined,
  };
}

function fault(pointer: string, detail: string): ValidationFailed {
  return new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
}
