import { Body, Controller, Get, HttpCode, type PipeTransform, Post, Res } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  answerOnce,
  IdempotencyKeyHeader,
  readIdempotencyKey,
} from '../orders/placing/idempotency.js';
import { placingOf } from '../orders/placing/ordering-client.js';
import { shortened } from '../platform/kernel/text.js';
import { actorOf } from '../platform/audit/audit.service.js';
import { Client, type ClientCaller } from '../platform/access/caller.js';
import { Requires } from '../platform/access/rules.js';
import {
  AlsoSendsCsv,
  AlsoSendsPdf,
  Described,
  Examples,
  Versioned,
} from '../platform/http/described.js';
import { Takes } from '../platform/http/json-body.js';
import { IdParameter } from '../platform/http/parameters.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import { ValidBody, validBody, ValidOptionalBody, ValidQuery } from '../platform/http/valid.js';
import { MOST_OF_QUOTE } from '../platform/access/counting.js';
import { ProposalQuery } from './document/proposal.dto.js';
import { QuoteReadingService } from './quote-reading.service.js';
import { readChosenColumns } from './site-columns.js';
import { readSiteList, type SiteList, sitesOf } from './site-list.js';
import { QuoteRequestsService } from './quote-requests.service.js';
import {
  AcceptedLines,
  EnquiredLines,
  LineNotOrderableProblem,
  QuoteDefaults,
  QuoteParameters,
  QuoteAcceptance,
  QuoteEnquiry,
} from './quote-requests.dto.js';
import {
  QuoteAcknowledgement,
  QuotePage,
  QuoteRequest,
  QuoteView,
  type SitesToQuote,
} from './record/quotes.dto.js';
import { QuoteLinesQuery, QuoteQuery } from './record/quote-queries.dto.js';
import { QuotesService } from './quotes.service.js';

const QuoteId = () => IdParameter('quoteId');

/** Leaves a file to the handler, which reads it as the query says. */
const unlessFile = (pipe: PipeTransform): PipeTransform => ({
  transform: (body: unknown, about) =>
    Buffer.isBuffer(body) ? body : (pipe.transform(body, about) as unknown),
});

/** The body as JSON, or a list of sites as the bytes of a file. */
const FileOrBody = () => Body(...validBody.map(unlessFile));

@Controller('product-availability/quote')
@Described('Quotes', 'For API clients: many sites of one customer, answered and ordered together.')
@ApiExtraModels(LineNotOrderableProblem)
export class QuotesController {
  constructor(
    private readonly quotes: QuotesService,
    private readonly requests: QuoteRequestsService,
    private readonly reading: QuoteReadingService,
  ) {}

  /**
   * Make a quote
   *
   * @remarks Answers up to 2,000 sites at once. Each line has the product of the wanted service with the least bandwidth that is enough
   * for the wanted term; of several, the one with the least total over the term. Its terms hold until `validUntil`. A
   * site that cannot be answered stays in its place as an `invalid` line. The sites may come as a spreadsheet (`text/csv`), with
   * columns `site`, `postcode`, `uprn`, `bandwidth`, `term`, `service` and `notes`. The request counts as one check for every ten
   * sites.
   * @throws {409} request-in-progress
   * @throws {422} idempotency-key-reused
   */
  @Post()
  @Requires('orders:write', { counts: 'postcodes' })
  @Examples({
    request: {
      two: {
        summary: 'Two sites',
        value: {
          reference: 'RFQ-118',
          customer: 'Fernhill Schools Trust',
          wanted: { bandwidth: 1, term: 36 },
          sites: [
            { site: 'HQ', postcode: 'EC2A 2BS', uprn: '100023336956' },
            { site: 'Depot', postcode: 'E17 9AA', wanted: { bandwidth: 10 } },
          ],
        },
      },
    },
  })
  @Takes({
    ...MOST_OF_QUOTE,
    csv: 'site,postcode,bandwidth,term\r\nHQ,EC2A 2BS,1G,36\r\nDepot,E17 9AA,10G,36\r\n',
  })
  async makeQuote(
    @FileOrBody() body: QuoteRequest,
    @ValidQuery() query: QuoteParameters,
    @Client() client: ClientCaller,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QuoteAcknowledgement> {
    const list = await listIn(body, query);
    const request = withDefaults(list ? { sites: sitesOf(list) } : body, query);
    if (list?.sheet != null) this.quotes.countSites(list.rows.length, client);
    const made = await this.quotes.create(
      request,
      readIdempotencyKey(key),
      client,
      actorOf(client),
    );
    const ignored = list
      ? { ignoredColumns: list.ignored.map((name) => shortened(name, 120)) }
      : {};
    return answerOnce(response, { ...made, ...ignored }, `quote/${made.quoteId}`);
  }

  /**
   * List quotes
   *
   * @remarks The API client's own quotes, newest first, without their lines.
   */
  @Get()
  @Requires('orders:read')
  listQuotes(@ValidQuery() query: QuoteQuery, @Client() client: ClientCaller): Promise<QuotePage> {
    return this.quotes.list(query, client);
  }

  /**
   * Read a quote
   *
   * @remarks Only the API client that made the quote can read it. With `Accept: text/csv` the response is the whole
   * quote, one row a line, and with `Accept: application/pdf` the whole quote on A4. A text that a spreadsheet would
   * read as a formula starts with an apostrophe. The request counts as one check for every ten lines that it reads; 304 counts as one.
   * @throws {404} not-found
   */
  @Get(':quoteId')
  @Requires('orders:read')
  @Versioned()
  @AlsoSendsPdf()
  @AlsoSendsCsv('line,site,postcode,state,product,price\r\n1,HQ,EC2A 2BS,priced,INT-1G-36,450\r\n')
  readQuote(
    @QuoteId() id: string,
    @ValidQuery() query: QuoteLinesQuery,
    @Client() client: ClientCaller,
    @Res() response: Response,
  ): Promise<QuoteView> {
    return this.reading.send(id, query, client, response);
  }

  /**
   * Make a proposal
   *
   * @remarks The quote for the client's own customer: at the client's prices and in its name, without prices, codes,
   * product names or the name of the operator. As a document (`application/pdf`, the default) or as `text/csv`. Nothing is stored.
   * The request counts as one check for every ten lines of the quote; 304 counts as one.
   * @throws {404} not-found
   */
  @Get(':quoteId/proposal')
  @Requires('orders:read')
  @Versioned()
  @AlsoSendsPdf()
  @AlsoSendsCsv('site,postcode,bandwidth,term,price\r\nHQ,EC2A 2BS,1 Gbit/s,36,535\r\n')
  readProposal(
    @QuoteId() id: string,
    @ValidQuery() about: ProposalQuery,
    @Client() client: ClientCaller,
    @Res() response: Response,
  ): Promise<void> {
    return this.reading.sendProposal(id, about, client, response);
  }

  /**
   * Order lines of a quote
   *
   * @remarks Orders all the lines, at exactly their terms, or none of them. Send the `offerId` of a line that has one in
   * `offers`, so that no newer offer is ordered. A line becomes an order once: with an
   * `Idempotency-Key`, a retry gets the first response again; without one, it is refused, and says which order there is.
   * The orders are ordinary orders, with `quoteId` and `lineId`.
   * @throws {404} not-found
   * @throws {409} quote-expired, request-in-progress, too-many-open
   * @throws {422} line-not-orderable, idempotency-key-reused
   */
  @Post(':quoteId/acceptance')
  @HttpCode(201)
  @Requires('orders:write')
  @Examples({
    request: {
      two: {
        summary: 'Two lines, of which one has an offer',
        value: { lines: ['1', '7'], offers: { 7: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90' } },
      },
    },
  })
  async acceptQuote(
    @QuoteId() id: string,
    @ValidBody() body: QuoteAcceptance,
    @Client() client: ClientCaller,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedLines> {
    const accepted = await this.requests.accept(
      id,
      body,
      readIdempotencyKey(key),
      placingOf(client),
    );
    return answerOnce(response, accepted, `quote/${id}`);
  }

  /**
   * Ask for the gaps of a quote
   *
   * @remarks Makes an enquiry of each line that is `notAvailable` and has no enquiry yet, or of those that are named: up to 100 at
   * once. Staff answer them, and the lines show their offers. A line can be asked for once; with nothing to ask for, the response is
   * 422 `line-not-orderable`.
   * @throws {404} not-found
   * @throws {409} quote-expired, request-in-progress, too-many-open
   * @throws {422} line-not-orderable, idempotency-key-reused
   */
  @Post(':quoteId/enquiry')
  @HttpCode(201)
  @Requires('orders:write')
  @Examples({
    request: {
      all: { summary: 'All gaps', value: {} },
      one: { summary: 'One line', value: { lines: ['2'], notes: 'Decision in January.' } },
    },
  })
  async enquireOfQuote(
    @QuoteId() id: string,
    @ValidOptionalBody() body: QuoteEnquiry,
    @Client() client: ClientCaller,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EnquiredLines> {
    const enquired = await this.requests.enquire(id, body, readIdempotencyKey(key), client);
    return answerOnce(response, enquired, `quote/${id}`);
  }

  /**
   * Copy a quote
   *
   * @remarks A new quote of the same sites at the terms of today. Each line says in `was` what it cost before. The request counts as
   * an order, and as one check for every ten sites.
   * @throws {404} not-found
   */
  @Post(':quoteId/copy')
  @HttpCode(201)
  @Requires('orders:write')
  async copyQuote(
    @QuoteId() id: string,
    @Client() client: ClientCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QuoteAcknowledgement> {
    const made = await this.quotes.copy(id, client);
    return answerOnce(response, made, `quote/${made.quoteId}`);
  }
}

/** The list in a file; null for JSON. @throws {UnreadableList | ValidationFailed} */
async function listIn(
  body: unknown,
  { columns, ignoreOtherColumns, sheet, service }: QuoteParameters,
): Promise<SiteList | null> {
  if (!Buffer.isBuffer(body)) return null;
  const chosen = columns === undefined ? {} : readChosenColumns(columns);
  if (typeof chosen === 'string') {
    throw new ValidationFailed([{ pointer: '/columns', code: 'not-allowed', detail: chosen }]);
  }
  const ignores = ignoreOtherColumns === 'true';
  return readSiteList(body, { columns: chosen, ignoreOtherColumns: ignores, sheet, service });
}

/** What the body leaves out, or has as null, is that of the query. */
function withDefaults(body: SitesToQuote, defaults: QuoteDefaults): SitesToQuote {
  const { wanted } = body;
  return {
    ...body,
    reference: body.reference ?? defaults.reference,
    customer: body.customer ?? defaults.customer,
    wanted: {
      bandwidth: wanted?.bandwidth ?? defaults.bandwidth,
      term: wanted?.term ?? defaults.term,
      service: wanted?.service ?? defaults.service,
    },
  };
}
