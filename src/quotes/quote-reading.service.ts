import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { ClientCaller } from '../platform/access/caller.js';
import { checksForSites } from '../platform/access/counting.js';
import { attach, CSV, PDF, type Chunks, hasAlready } from '../platform/http/attachment.js';
import { sendChunks } from '../platform/http/compression.js';
import { sendJson } from '../platform/http/lean-express.adapter.js';
import { setHeaders } from '../platform/http/tracked-response.js';
import { allowanceHeaders, refuseExceeded } from '../platform/limits/count-window.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import { DocumentsService } from './document/documents.service.js';
import type { ProposalQuery } from './document/proposal.dto.js';
import { proposalCsv, proposalOf } from './document/proposal.js';
import { quoteCsv } from './quote-csv.js';
import {
  type FoundQuote,
  type LineRange,
  printQuote,
  WHOLE,
  printSummary,
} from './record/print-quote.js';
import type { QuoteLinesQuery } from './record/quote-queries.dto.js';
import { QuotesService } from './quotes.service.js';
import { createHash } from 'node:crypto';

const JSON_TYPE = 'application/json';

/** What a response depends on, beside the quote. */
interface AskedOfQuote {
  readonly id: string;
  readonly client: ClientCaller;
  /** The media type. */
  readonly type: string;
  readonly lines: LineRange;
  readonly about: unknown;
}

interface UnsentQuote {
  readonly found: FoundQuote;
  /** Of a response that shows it. A problem has none of them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends quotes to their clients. A response counts by its lines, and is not sent again while nothing has changed. */
@Injectable()
export class QuoteReadingService {
  constructor(
    private readonly quotes: QuotesService,
    private readonly documents: DocumentsService,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Sends a page of lines as JSON, or the whole quote as CSV or PDF.
   * @returns nothing: T is what the OpenAPI document shows
   * @throws {QuoteNotFound | RateLimited | Unavailable}
   */
  async send<T>(
    id: string,
    { limit, cursor = '0', bom }: QuoteLinesQuery,
    client: ClientCaller,
    response: Response,
  ): Promise<T> {
    const type = response.req.accepts([JSON_TYPE, 'text/csv', PDF]) || JSON_TYPE;
    const lines = type === JSON_TYPE ? { from: Number(cursor), limit } : WHOLE;
    const { name } = client;
    const { brand } = this.documents;
    const asked = { id, client, type, lines, about: type === PDF ? [name, brand] : bom };
    const unsent = await this.unsent(asked, response);
    if (!unsent) return undefined as T;
    const { found, headers } = unsent;
    const { reference } = found.quote;
    if (type === PDF) {
      const pdf = await this.documents.draw(client.quota, async () => {
        return { quote: await printQuote(found, WHOLE), client: name, brand };
      });
      sendPdf(response.set(headers), `${reference}.pdf`, pdf);
      return undefined as T;
    }
    const quote = await printQuote(found, lines);
    response.set(headers);
    if (type === JSON_TYPE) sendJson(response, 200, JSON.stringify(quote));
    else await sendCsv(response, `${reference}.csv`, quoteCsv(quote));
    return undefined as T;
  }

  /** Sends a proposal as PDF or CSV. @throws {QuoteNotFound | RateLimited | Unavailable} */
  async sendProposal(
    id: string,
    about: ProposalQuery,
    client: ClientCaller,
    response: Response,
  ): Promise<void> {
    const type = response.req.accepts([PDF, 'text/csv']) || PDF;
    const unsent = await this.unsent({ id, client, type, lines: WHOLE, about }, response);
    if (!unsent) return;
    const { found, headers } = unsent;
    const proposal = async () => proposalOf(await printQuote(found, WHOLE), about);
    if (type === PDF) {
      const pdf = await this.documents.draw(client.quota, async () => {
        return { proposal: await proposal() };
      });
      sendPdf(response.set(headers), 'proposal.pdf', pdf);
    } else {
      await sendCsv(response.set(headers), 'proposal.csv', proposalCsv(await proposal()));
    }
  }

  /** Counts what is to be sent; null where the client has it already, which is sent as 304. */
  private async unsent(asked: AskedOfQuote, response: Response): Promise<UnsentQuote | null> {
    const { id, client, lines, type, about } = asked;
    response.vary('Accept');
    if (type === PDF) this.documents.refuseFull(client.quota);
    const found = await this.quotes.find(id, client);
    const etag = `W/"${versionOf(found, [type, lines, about])}"`;
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
    if (hasAlready(response.req.headers['if-none-match'], etag)) {
      response.set(headers).status(304).end();
      return null;
    }
    const count = Math.min(lines.limit, found.quote.lineCount - lines.from);
    const allowance = this.limits.takeRest(client, checksForSites(count));
    if (allowance) {
      refuseExceeded(allowance);
      setHeaders(response, allowanceHeaders(allowance));
    }
    return { found, headers };
  }
}

export function sendPdf(response: Response, name: string, pdf: Buffer): void {
  attach(response, PDF, name);
  response.end(pdf);
}

export async function sendCsv(response: Response, name: string, chunks: Chunks): Promise<void> {
  attach(response, CSV, name);
  await sendChunks(response, chunks);
}

/** Of a response: it differs once the quote, what became of its lines, or what was asked for differs. */
export function versionOf({ quote, uses, now }: FoundQuote, asked: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([printSummary(quote, uses, now), uses.text, asked]))
    .update(quote.body)
    .digest('base64url')
    .slice(0, 22);
}
