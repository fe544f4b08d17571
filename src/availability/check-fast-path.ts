import type { INestApplicationContext } from '@nestjs/common';
import type { Request } from 'express';
import { isAllowed } from '../platform/access/caller.js';
import { isSessionRule } from '../platform/access/rules.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { AccessService } from '../clients/access.service.js';
import { singleAuthorization, identify, requestFault } from '../platform/http/request-id.js';
import type { FirstAnswer } from '../platform/http/lean-express.adapter.js';
import { RoutesService } from '../platform/http/routes.service.js';
import { answerAs } from '../platform/http/written.js';
import { endHeaders } from '../platform/kernel/compatibility.js';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import { allowanceHeaders } from '../platform/limits/count-window.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import { validOrFaults } from '../platform/http/valid.js';
import { AvailabilityController } from './availability.controller.js';
import { ProductFilter } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';

/** Filters that are kept: an integrator's program sends a few, over and over. */
const MOST_FILTERS = 1_000;
/** Needs no decoding. */
const PLAIN_QUERY = /^[a-z]+=[\w.-]+(?:&[a-z]+=[\w.-]+)*$/;

/**
 * Answers a check before Express and Nest, which would double its CPU time. The token must be known and
 * have the scope, the limits must allow it, and postcode and filter must be valid. All other requests go
 * through the full pipeline. Tests run both ways and compare the answers.
 */
export function checkFastPath(app: INestApplicationContext): FirstAnswer {
  const access = app.get(AccessService);
  const availability = app.get(AvailabilityService);
  const catalogue = app.get(CatalogueService);
  const limits = app.get(RateLimitsService);
  const route = app.get(RoutesService).plainRoute(AvailabilityController, 'checkPostcode');
  const { method, path, access: rule } = route;
  const prefix = path.slice(0, path.indexOf(':'));
  if (path !== `${prefix}:postcode` || rule === 'public' || isSessionRule(rule)) {
    throw new Error(`${route.handler} is no longer a route that the fast path can answer.`);
  }

  const filters = new Map<string, ProductFilter | null>();
  /** Null if the query is not exactly a valid filter. */
  const filterIn = (query: string) => {
    let filter = filters.get(query);
    if (filter === undefined) {
      if (filters.size === MOST_FILTERS) filters.clear();
      filters.set(query, (filter = readFilter(query)));
    }
    return filter;
  };

  return (request, response) => {
    if (request.method !== method || !request.url!.startsWith(prefix)) return false;
    const [segment = '', ...queries] = request.url!.slice(prefix.length).split('?');
    const postcode = readPostcode(segment);
    const filter = queries.length === 0 ? undefined : filterIn(queries.join('?'));
    if (!postcode || filter === null || !catalogue.loaded || requestFault(request)) return false;
    const client = access.recognise(singleAuthorization(request));
    if (client?.kind !== 'client' || !isAllowed(client, rule)) return false;
    if (!limits.hasRoomForCheck(client)) return false;

    // The log and the metrics read what middleware, guards and Express set.
    const identified = request as Request;
    const id = identify(identified);
    identified.user = client;
    identified.route = route;
    const allowance = allowanceHeaders(limits.takeCheck(client));
    const end = endHeaders(client.compatibility);
    const answer = availability.check({ postcode, uprn: null }, client, filter);
    const { headers, body, encoding } = answerAs(request.headers['accept-encoding'], answer);
    response.writeHead(200, id.concat(end, allowance, headers));
    response.end(body, encoding);
    return true;
  };
}

/** Undefined if the segment is not exactly a valid postcode. */
function readPostcode(segment: string): Postcode | undefined {
  if (segment.includes('/')) return undefined;
  try {
    const postcode = parsePostcode(decodeURIComponent(segment));
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
