import type { INestApplicationContext } from '@nestjs/common';
import type { Request } from 'express';
import { type ClientCaller, isAllowed } from '../platform/access/caller.js';
import { isSessionRule } from '../platform/access/rules.js';
import type { CheckedPlace } from '../catalogue/shown/shown.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { AccessService } from '../clients/access.service.js';
import { singleAuthorization, identify, requestFault } from '../platform/http/request-id.js';
import type { AnswerText } from '../platform/http/kept-text.js';
import type { FirstAnswer } from '../platform/http/lean-express.adapter.js';
import { RoutesService } from '../platform/http/routes.service.js';
import { answerAs } from '../platform/http/written.js';
import { Clock } from '../platform/kernel/clock.js';
import { endHeaders } from '../platform/kernel/client-options.js';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import { allowanceHeaders, CountWindow } from '../platform/limits/count-window.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import { validOrFaults } from '../platform/http/valid.js';
import { UprnNotAtPostcode } from '../platform/problems/postcode.errors.js';
import { AvailabilityController } from './availability.controller.js';
import { ProductFilter } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';

/** Filters that are kept: an integrator's program sends a few, over and over. */
const MOST_FILTERS = 1_000;
/** Needs no decoding. */
const PLAIN_QUERY = /^[a-z]+=[\w.-]+(?:&[a-z]+=[\w.-]+)*$/;
/** The query of a check of premises, with spaces as programs write them. */
const POSTCODE_QUERY = /^postcode=((?:\w|\+|%20)+)$/;

/** What a request asks for. */
interface AskedCheck {
  readonly place: CheckedPlace;
  readonly filter?: ProductFilter | undefined;
}

/**
 * Answers a check before Express and Nest, which would double its CPU time. The token must be known and
 * have the scope, the limits must allow it, and place and filter must be valid. All other requests go
 * through the full pipeline. Tests run both ways and compare the answers.
 */
export function checkFastPath(app: INestApplicationContext): FirstAnswer {
  const access = app.get(AccessService);
  const availability = app.get(AvailabilityService);
  const catalogue = app.get(CatalogueService);
  const clock = app.get(Clock);
  const limits = app.get(RateLimitsService);
  const readFilters = filterReader();
  const kinds = [
    checkRoute(app, 'checkPostcode', 'postcode', (segment, query) => {
      const postcode = readPostcode(segment);
      const filter = query === undefined ? undefined : readFilters(query);
      return postcode && filter !== null ? { place: { postcode, uprn: null }, filter } : undefined;
    }),
    checkRoute(app, 'checkPremises', 'uprn', (segment, query = '') => {
      const uprn = parseUprn(segment);
      const [, written = ''] = POSTCODE_QUERY.exec(query) ?? [];
      const postcode = readPostcode(written.replaceAll('+', ' '));
      return postcode && uprn !== null ? { place: { postcode, uprn } } : undefined;
    }),
  ];

  return (request, response) => {
    const url = request.url!;
    const kind = kinds.find(({ prefix }) => url.startsWith(prefix));
    if (!kind || request.method !== kind.route.method) return false;
    const asked = kind.read(url.slice(kind.prefix.length));
    if (!asked || !catalogue.loaded || requestFault(request)) return false;
    const now = clock.now();
    const client = access.recognise(singleAuthorization(request), now);
    if (client?.kind !== 'client' || !isAllowed(client, kind.rule)) return false;
    const counted = CountWindow.now();
    if (!limits.hasRoomForCheck(client, counted)) return false;
    const answer = answerOf(availability, asked, client, now);
    if (!answer) return false;

    // The log and the metrics read what middleware, guards and Express set.
    const identified = request as Request;
    const id = identify(identified);
    identified.user = client;
    identified.route = kind.route;
    const allowance = allowanceHeaders(limits.takeCheck(client, counted));
    const end = endHeaders(client.compatibility);
    const { headers, body, encoding } = answerAs(request.headers['accept-encoding'], answer);
    response.answer(body, encoding, id, end, allowance, headers);
    return true;
  };
}

/** Undefined if the operator lists the premises at another postcode. */
function answerOf(
  availability: AvailabilityService,
  { place, filter }: AskedCheck,
  client: ClientCaller,
  now: Date,
): AnswerText | undefined {
  try {
    return availability.check(place, client, filter, now);
  } catch (error) {
    if (error instanceof UprnNotAtPostcode) return undefined;
    throw error;
  }
}

/** @param read what the last segment and the query ask for; undefined if they are not exactly valid */
function checkRoute(
  app: INestApplicationContext,
  handler: keyof AvailabilityController,
  parameter: string,
  read: (segment: string, query?: string) => AskedCheck | undefined,
) {
  const route = app.get(RoutesService).plainRoute(AvailabilityController, handler);
  const { path, access: rule } = route;
  const prefix = path.slice(0, path.indexOf(':'));
  if (path !== `${prefix}:${parameter}` || rule === 'public' || isSessionRule(rule)) {
    throw new Error(`${route.handler} is no longer a route that the fast path can answer.`);
  }
  const readRest = (rest: string) => {
    const end = rest.indexOf('?');
    return end < 0 ? read(rest) : read(rest.slice(0, end), rest.slice(end + 1));
  };
  return { route, rule, prefix, read: readRest };
}

/** Reads a query; null if it is not exactly a valid filter. */
function filterReader(): (query: string) => ProductFilter | null {
  const filters = new Map<string, ProductFilter | null>();
  return (query) => {
    let filter = filters.get(query);
    if (filter === undefined) {
      if (filters.size === MOST_FILTERS) filters.clear();
      filters.set(query, (filter = readFilter(query)));
    }
    return filter;
  };
}

/** Undefined if the segment is not exactly a valid postcode. */
function readPostcode(segment: string): Postcode | undefined {
  if (segment.includes('/')) return undefined;
  try {
    const postcode = parsePostcode(segment.includes('%') ? decodeURIComponent(segment) : segment);
    return postcode instanceof Postcode ? postcode : undefined;
  } catch {
    return undefined;
  }
}

function readFilter(query: string): ProductFilter | null {
  if (!PLAIN_QUERY.test(query)) return null;
  const pairs = query.split('&').map((pair) => pair.split('=', 2) as [string, string]);
  const values = Object.fromEntries(pairs);
  const isRepeated = Object.keys(values).length < pairs.length;
  if (isRepeated) return null;
  const filter = validOrFaults(ProductFilter, values);
  return Array.isArray(filter) ? null : filter;
}
