import type { INestApplicationContext } from '@nestjs/common';
import type { Request } from 'express';
import { isAllowed } from '../platform/access/caller.js';
import { isSessionRule } from '../platform/access/scopes.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { AccessService } from '../clients/access.service.js';
import { singleAuthorization, identify, requestFault } from '../platform/http/request-id.js';
import type { FirstAnswer } from '../platform/http/lean-express.adapter.js';
import { RoutesService } from '../platform/http/routes.service.js';
import { jsonHeaders } from '../platform/http/written.js';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import { allowanceHeaders } from '../platform/limits/count-window.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import { AvailabilityController } from './availability.controller.js';
import { AvailabilityService } from './availability.service.js';

/**
 * Answers a check before Express and Nest, which would double its CPU time. The token must be known and
 * have the scope, the limits must allow it, and the postcode must be valid. All other requests go
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

  return (request, response) => {
    if (request.method !== method || !request.url!.startsWith(prefix)) return false;
    const postcode = readPostcode(request.url!.slice(prefix.length));
    if (!postcode || !catalogue.loaded || requestFault(request)) return false;
    const client = access.recognise(singleAuthorization(request));
    if (client?.kind !== 'client' || !isAllowed(client, rule)) return false;
    if (!limits.hasRoomForCheck(client)) return false;

    // The log and the metrics read what middleware, guards and Express set.
    const identified = request as Request;
    const id = identify(identified);
    identified.user = client;
    identified.route = route;
    const allowance = allowanceHeaders(limits.takeCheck(client));
    const { text, bytes } = availability.check({ postcode, uprn: null }, client);
    response.writeHead(200, id.concat(allowance, jsonHeaders(bytes)));
    // Node writes single-byte text faster as latin1.
    response.end(text, bytes === text.length ? 'latin1' : 'utf8');
    return true;
  };
}

/** Undefined if the segment is not exactly a valid postcode. */
function readPostcode(segment: string): Postcode | undefined {
  if (segment.includes('/') || segment.includes('?')) return undefined;
  try {
    const postcode = parsePostcode(decodeURIComponent(segment));
    return postcode instanceof Postcode ? postcode : undefined;
  } catch {
    return undefined;
  }
}
