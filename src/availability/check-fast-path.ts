import type { INestApplicationContext } from '@nestjs/common';
import type { Request } from 'express';
import { isAllowed } from '../access/caller.js';
import { isSessionRule } from '../access/scopes.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { AccessService } from '../clients/access.service.js';
import { singleAuthorization } from '../clients/authorization.js';
import type { FirstAnswer } from '../http/lean-express.adapter.js';
import { identify, requestFault } from '../http/request-id.js';
import { RoutesService } from '../http/routes.service.js';
import { jsonHeaders } from '../http/written-json.js';
import { parsePostcode, Postcode } from '../kernel/postcode.js';
import { allowanceHeaders, RateLimitsService } from '../limits/rate-limits.service.js';
import { AvailabilityController } from './availability.controller.js';
import { AvailabilityService } from './availability.service.js';

/**
 * Answers a check in front of Express and Nest, which would double its processor time, if nothing
 * about it needs refusing or explaining: the token was accepted before and has the scope, the limits
 * leave room, and the postcode is valid. Leaves every other request untouched for the full pipeline.
 * Method, path and scope are those that the controller's handler declares. The tests of checks, access
 * and limits run with and without this and compare the answers.
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

  return (request, response) => {
    if (request.method !== method || !request.url!.startsWith(prefix)) return false;
    const postcode = readPostcode(request.url!.slice(prefix.length));
    if (!postcode || !catalogue.loaded || requestFault(request)) return false;
    const client = access.recognise(singleAuthorization(request));
    if (client?.kind !== 'client' || !isAllowed(client, rule)) return false;
    if (!limits.hasRoomForCheck(client)) return false;

    // What the middleware, the guards and Express set, for the log and the metrics.
    const identified = request as Request;
    const id = identify(identified);
    identified.user = client;
    identified.route = route;
    const allowance = allowanceHeaders(limits.takeCheck(client));
    const text = availability.checkPostcode(postcode, client);
    const bytes = Buffer.byteLength(text);
    response.writeHead(200, [...id, ...allowance, ...jsonHeaders(bytes)]);
    // Node copies a text of single-byte characters at once.
    response.end(text, bytes === text.length ? 'latin1' : 'utf8');
    return true;
  };
}

/** The postcode in the last segment of a path; undefined where there is more or it is not valid. */
function readPostcode(segment: string): Postcode | undefined {
  if (segment.includes('/') || segment.includes('?')) return undefined;
  try {
    const postcode = parsePostcode(decodeURIComponent(segment));
    return postcode instanceof Postcode ? postcode : undefined;
  } catch {
    return undefined;
  }
}
