import type { INestApplicationContext } from '@nestjs/common';
import type { Request } from 'express';
import { randomUUID } from 'node:crypto';
import { AvailabilityService } from './availability.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { AccessService } from '../clients/access.service.js';
import { countAuthorization } from '../clients/authorization.js';
import type { ClientCaller } from '../access/caller.js';
import type { FirstAnswer } from '../http/lean-express.adapter.js';
import { parsePostcode, Postcode } from '../kernel/postcode.js';
import { RateLimits } from '../limits/rate-limits.js';

const PATH = '/product-availability/postcode/';
const route = { path: `${PATH}:postcode` };

/**
 * The one request that the service exists for, when everything about it is right: a `GET` of a
 * postcode, whose token was accepted before, has the scope and is within its limit. It is answered
 * in front of Express and Nest, whose work on a request costs several times the check itself, over
 * the same services, and with the same bytes (test/availability/check-fast-path.e2e-spec.ts). Everything else is left
 * as it came for the long way, which refuses what there is to refuse.
 */
export function fastCheck(app: INestApplicationContext): FirstAnswer {
  const access = app.get(AccessService);
  const availability = app.get(AvailabilityService);
  const catalogue = app.get(CatalogueService);
  const limits = app.get(RateLimits);

  return (request, response) => {
    if (request.method !== 'GET' || !request.url!.startsWith(PATH)) return false;
    const postcode = readPostcode(request.url!.slice(PATH.length));
    if (!postcode || !catalogue.loaded) return false;
    const client = access.recognise(request.headers.authorization);
    if (client?.kind !== 'client' || !client.scopes.has('availability:read')) return false;
    if (countAuthorization(request.rawHeaders) !== 1) return false;
    // The long way refuses what there is no room for.
    if (!limits.hasRoom(client)) return false;
    const allowance = limits.takeLookup(client);
    if (allowance?.exceeded) {
      // The long way refuses it, without counting it again.
      (request as Request).allowance = allowance;
      return false;
    }

    const text = availability.checkPostcode(postcode, client);
    const id = randomUUID();
    note(request as Request, id, client);
    const bytes = Buffer.byteLength(text);
    const limit = allowance
      ? ['RateLimit-Policy', allowance.policy, 'RateLimit', allowance.state]
      : [];
    response.writeHead(200, [
      'X-Request-Id',
      id,
      ...limit,
      'Content-Type',
      'application/json',
      'Content-Length',
      String(bytes),
      'Cache-Control',
      'no-store',
    ]);
    // Where each character is a byte, Node copies the text in one go.
    response.end(text, bytes === text.length ? 'latin1' : 'utf8');
    return true;
  };
}

/** What the journal tells of a request; Express and the guard would note it. */
function note(request: Request, id: string, client: ClientCaller): void {
  request.id = id;
  request.user = client;
  request.route = route;
}

/** The postcode at the end of the path; null where there is more, or less, or it needs explaining. */
function readPostcode(segment: string): Postcode | null {
  if (segment.includes('/') || segment.includes('?')) return null;
  const postcode = parsePostcode(segment.includes('%') ? decode(segment) : segment);
  return postcode instanceof Postcode ? postcode : null;
}

function decode(segment: string): string {
  // Nearly always there is nothing but the blank to decode, and this is several times faster.
  const blanks = segment.replaceAll('%20', ' ');
  if (!blanks.includes('%')) return blanks;
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
