import { createHash } from 'node:crypto';
import { readCrockford } from '../platform/kernel/crockford.js';
import { parseUprn, printUprn } from '../platform/kernel/uprn.js';
import type { FieldError } from '../platform/problems/problem.js';
import type { InnerAnswer, InnerRequest } from './inner-request.js';
import type { DescribedCall, DescribedCalls, JsonSchema } from './tool-schemas.js';

export type Arguments = Readonly<Record<string, unknown>>;
type Send = (request: InnerRequest) => Promise<InnerAnswer>;

/** Lines of a new quote in the answer; `read_quote` reads more. */
const FIRST_LINES = 50;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** A token without them does not see the tool. */
  readonly scopes: readonly string[];
  readonly description: string;
  readonly inputSchema: { type: 'object' } & JsonSchema;
  readonly annotations: Record<string, boolean>;
  /** Inputs that are missing, and without which the tool cannot call its operation. */
  readonly faultsOf: (asked: Arguments) => readonly FieldError[];
  readonly run: (asked: Arguments, send: Send) => Promise<InnerAnswer>;
}

/** The tools, with the words and inputs of the operations that they call. */
export function toolsOf(calls: DescribedCalls): readonly Tool[] {
  const [postcode, premises] = [calls.get('checkPostcode'), calls.get('checkPremises')];
  const [making, quote] = [calls.get('makeQuote'), calls.get('readQuote')];
  const [placing, accepting] = [calls.get('placeOrder'), calls.get('acceptQuote')];
  const check = calls.get('readCheck');
  const [sending, asking] = [calls.get('sendOrderMessage'), calls.get('sendEnquiryMessage')];
  return [
    {
      ...toolFor('check_place', postcode, `With a \`uprn\`: ${premises.description}`),
      inputSchema: inputOf([postcode, premises], ['postcode']),
      run: (asked, send) => send(requestOf(asked.uprn === undefined ? postcode : premises, asked)),
    },
    {
      ...toolFor('quote_sites', making, `The answer is the quote with ${FIRST_LINES} lines.`),
      scopes: [making.scope, quote.scope],
      run: async (asked, send) => {
        const made = await send(requestOf(making, asked));
        if (made.status >= 400) return made;
        return send(requestOf(quote, { quoteId: made.body.quoteId, limit: FIRST_LINES }));
      },
    },
    toolFor('read_quote', quote),
    toolFor('read_order', calls.get('readOrder')),
    {
      ...toolFor('send_message', sending, WRITTEN),
      inputSchema: inputOf([asking, sending], ['text']),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      faultsOf: (asked) => missing(asked, isEmpty(asked.enquiryId) ? ofOrder : {}),
      run: ({ orderId, enquiryId, ...body }, send) => {
        const isOrder = isEmpty(enquiryId);
        const request = isOrder
          ? requestOf(sending, { ...body, orderId })
          : requestOf(asking, { ...body, enquiryId });
        return send({ ...request, key: keyOf(request.path, body) });
      },
    },
    {
      ...toolFor('place_order', placing, CONDITION),
      inputSchema: inputOf([{ ...accepting, properties: lineOf(accepting) }, placing], []),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      faultsOf: (asked) => missing(asked, namesLine(asked) ? ofLine : ofCheck),
      run: (asked, send) =>
        namesLine(asked)
          ? send(orderOfLine(accepting, asked))
          : orderByCheck(placing, check, asked, send),
    },
  ];
}

const WRITTEN =
  'Send `orderId` of an order or `enquiryId` of an enquiry. A person reads the message: show the user its text before. The same text about the same order is not sent twice.';

const CONDITION =
  'The price must have been seen: send `checkId` of a check with its `postcode` and `productCode`, or `quoteId`, `lineId` and, unless it is null, `offerId` of a line of a quote. Ask the user before: state product, place, price, set-up price and term. The same order again is not placed twice.';

/** What an order needs, and where an agent gets it. */
const ofCheck = {
  checkId: 'Call check_place first, and send the id of its answer as checkId.',
  postcode: 'Send the postcode of the check.',
  productCode: 'Send the productCode of a product of the check.',
};
const ofOrder = { orderId: 'Send the orderId of an order, or the enquiryId of an enquiry.' };
const ofLine = {
  quoteId: 'Send the quoteId of the quote with the line.',
  lineId: 'Call read_quote first, and send the lineId of a line.',
};

/** Whether an order is that of a line of a quote. */
function namesLine({ quoteId, lineId }: Arguments): boolean {
  return !isEmpty(quoteId) || !isEmpty(lineId);
}

function missing(asked: Arguments, needed: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(needed)
    .filter(([name]) => isEmpty(asked[name]))
    .map(([name, detail]) => ({ pointer: `/${name}`, code: 'required', detail }));
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

function toolFor(name: string, call: DescribedCall, more = ''): Tool {
  return {
    name,
    title: call.summary,
    scopes: [call.scope],
    description: `${call.description} ${more}`.trim(),
    inputSchema: inputOf([call], call.required),
    annotations: { readOnlyHint: call.method === 'GET', destructiveHint: false },
    faultsOf: (asked) => missing(asked, neededInPath(call)),
    run: (asked, send) => send(requestOf(call, asked)),
  };
}

/** An address without them is that of another operation. What else is missing, the operation says. */
function neededInPath({ path }: DescribedCall): Record<string, string> {
  return Object.fromEntries(
    Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => [name, `Send ${name}.`]),
  );
}

function inputOf(calls: readonly DescribedCall[], required: readonly string[]) {
  const properties = Object.assign({}, ...calls.map((call) => call.properties)) as JsonSchema;
  return { type: 'object' as const, properties, required, additionalProperties: false };
}

/** One line, in place of a list of lines. */
function lineOf({
  properties: { lines, sites: _sites, offers: _offers, ...others },
}: DescribedCall) {
  const { items } = lines as { readonly items: JsonSchema };
  const description = 'The `offerId` of the line, as it was read.';
  return {
    ...others,
    lineId: { description: 'The `lineId` of a line of the quote.', ...items },
    offerId: { description, type: ['string', 'null'], format: 'uuid' },
  };
}

/** What is not in the path or query is the body. */
function requestOf({ method, path, inQuery }: DescribedCall, asked: Arguments): InnerRequest {
  const body: Record<string, unknown> = {};
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(asked)) {
    if (value === null || value === undefined) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (filled.includes(`{${name}}`)) {
      filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
    } else if (method === 'GET' || inQuery.includes(name)) query.set(name, text);
    else body[name] = value;
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return { method, path: filled + search, ...(method !== 'GET' && { body }) };
}

/** Equal orders have equal keys, so that an agent which repeats itself orders once. */
function keyOf(...parts: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return `mcp-${hash.slice(0, 32)}`;
}

function orderOfLine(
  accepting: DescribedCall,
  { lineId, offerId, ...asked }: Arguments,
): InnerRequest {
  // The API orders a line at an offer that was not read; the tool does not.
  const offers = { [lineId as string]: offerId ?? null };
  const request = requestOf(accepting, { ...asked, lines: [lineId], offers });
  return { ...request, key: keyOf(asked.quoteId, lineId) };
}

/** All spellings of an order have the same key and body. */
async function orderByCheck(
  placing: DescribedCall,
  reading: DescribedCall,
  { quoteId: _quote, lineId: _line, offerId: _offer, ...asked }: Arguments,
  send: Send,
): Promise<InnerAnswer> {
  const checkId = read(asked.checkId, readCrockford);
  let uprn = read(asked.uprn, (text) => printUprn(parseUprn(text)) ?? text);
  if (uprn === null) {
    const check = await send(requestOf(reading, { id: checkId }));
    // Of other refusals, such as one of a token with `orders:write` alone, the order has its own.
    if (check.status === 429 || check.status >= 500) return check;
    uprn = (check.body.premises as { readonly uprn: string } | undefined)?.uprn ?? null;
  }
  const request = requestOf(placing, { ...asked, checkId, uprn });
  return send({ ...request, key: keyOf(checkId, uprn, asked.productCode) });
}

/** The API refuses what is no text. */
function read(value: unknown, normalised: (text: string) => string): unknown {
  return typeof value === 'string' ? normalised(value) : (value ?? null);
}
