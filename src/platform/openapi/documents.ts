import type { INestApplication } from '@nestjs/common';
import {
  type ContactObject,
  DocumentBuilder,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import { isEmail } from 'class-validator';
import type { TokenHolder } from '../access/scopes.js';
import type { Config } from '../config/config.js';
import { webhookPayloads } from '../notifications/messages/webhook-payloads.dto.js';
import {
  InvalidPostcodeProblem,
  ProblemBody,
  ValidationErrorProblem,
} from '../problems/problem.dto.js';
import { finishDescription } from './description.js';
import { sandboxTable } from '../kernel/sandbox-postcodes.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StaticPage } from './static-page.js';
import { RoutesService } from '../http/routes.service.js';

/** Serves both documents as JSON and YAML. */
export function serveDocuments(app: NestExpressApplication, config: Config): void {
  // Created at the first request, for a short start.
  const documents = once(() => describe(app, config));
  const express = app.getHttpAdapter().getInstance();
  for (const [holder, name] of Object.entries(documentNames) as [TokenHolder, string][]) {
    const json = once(() => {
      const text = JSON.stringify(documents()[holder]);
      return new StaticPage({ type: 'application/json; charset=utf-8', text });
    });
    const yaml = once(async () => {
      const { stringify } = await import('yaml');
      const text = stringify(documents()[holder], { aliasDuplicateObjects: false });
      return new StaticPage({ type: 'application/yaml; charset=utf-8', text });
    });
    express.get(`/${name}.json`, (request, response) => json().send(request, response));
    express.get(`/${name}.yaml`, async (request, response) => {
      await (await yaml()).send(request, response);
    });
  }
  const names = Object.values(documentNames).join('|');
  app.get(RoutesService).addPage(new RegExp(`^/(?:${names})\\.(?:json|yaml)/?$`));
}

/** Caches the result of `make`. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The introduction for integrators, as Markdown. */
const overview = `Which connectivity products can be supplied at a UK postcode, and order requests for them.

## The first order

1. Ask the operator for a token with the scopes \`availability:read\`, \`orders:write\` and \`orders:read\`, and send it with each request: \`Authorization: Bearer <token>\`.
2. Check a postcode: \`GET /product-availability/postcode/EC2A%202BS\`. The response lists the products.
3. Order one of the products: \`POST /product-availability/order\` with its \`productCode\` and the \`postcode\`. Send the check's \`id\` as \`checkId\` to keep its terms, and an \`Idempotency-Key\`, so that a retry cannot order twice.
4. The response is 201 with an \`orderId\`: the order is stored, and the operator's sales staff will contact you. \`GET /product-availability/order/{orderId}\` returns its status.

## Units

Bandwidths are in Gbit/s, terms in months, lead times in calendar days. Prices are monthly, in units of the currency (pounds, not pence), excluding VAT. Times are RFC 3339 in UTC.

## Problems

Every error is \`application/problem+json\` (RFC 9457). Branch on \`code\`; \`type\` links to a page with the cause and the remedy. Every path also accepts OPTIONS, and HEAD where it accepts GET. Any path can also answer 405 \`method-not-allowed\` with \`Allow\`, 408 \`request-timeout\`, 414 \`uri-too-long\` and 431 \`header-fields-too-large\`; and, to a body that it does not take, 413 \`content-too-large\` and 415 \`unsupported-media-type\`. For an unknown code, a client should go by the status.

## Retries

After 429 and 503, and after 409 \`request-in-progress\`, wait for the seconds in \`Retry-After\`, then retry. You can always retry a check, but an order only with its \`Idempotency-Key\`.

## Limits

Each API client has limits for checks and for orders a minute. \`RateLimit-Policy\` states the limit, \`RateLimit\` what is left. \`GET /product-availability/me\` returns all limits and does not count. A body has at most 16 KB. \`POST /product-availability/postcodes\` checks up to 100 postcodes and counts as one check per postcode.

## Sandbox

A test token, \`pas_test_…\`, calls the same operations without real effects: staff do not see its orders, the service sends no email, and deletes its checks and orders after 30 days. Test tokens see only tests, and live tokens never see tests: the others are 404. Idempotency keys and limits are separate. Test orders have a separate webhook, which you register with the test token; its messages have \`"test": true\` in \`data\`. Ordinary postcodes return live data. These test postcodes are only for test tokens; for live tokens they are 400 \`invalid-postcode\`:

${sandboxTable}

The product \`TEST-100G-60\` exists in the sandbox but is not sold anywhere. \`POST /product-availability/test/order/{orderId}/advance\` does what staff would do: it moves a test order to \`inProgress\`, then to \`accepted\`, or to another final state, such as with \`{"to": "rejected"}\`.

## Compatibility

The service may add fields, values of \`code\` and operations. It never renames or removes one without notice in the headers \`Deprecation\` and \`Sunset\`. Ignore unknown fields. Values may also be added where a response lists them under \`x-extensible-enum\`: read them as text. Clients made for version 0.2.0 can also receive the misspelt \`bandwidthCapactity\`: ask the operator.`;

/** The introduction for authors of staff integrations, as Markdown. */
const staffOverview = `For integrations of the operator's own staff: order requests and their follow-up, reports, and the versions of the catalogue. The operations of API clients are in a separate document, \`/openapi.json\`. It explains units, problems and retries, which are the same here.

## Access

The operator issues a token to a staff member: \`npm run cli -- tokens issue --staff <email>\`. The token has scopes such as \`follow-up:read\`, \`reports:read\` or \`catalogue:write\`. The audit trail names its owner for each change. Tokens of API clients cannot call these operations.

## Moves

Each change of an order is a move, with its own operation. A move has the \`version\` of the order that the caller last saw. If the order has changed since, the service changes nothing and answers 409 \`order-moved\`.

## Compatibility

The service may add fields, values of \`code\` and operations. It never renames or removes one without notice in the headers \`Deprecation\` and \`Sunset\`. Ignore unknown fields. Values may also be added where a response lists them under \`x-extensible-enum\`: read them as text.`;

/** The version in the specification. */
const INTERFACE_VERSION = '0.3.0';

/** The file name and path of each document, without the extension. */
export const documentNames: Readonly<Record<TokenHolder, string>> = {
  client: 'openapi',
  staff: 'openapi-staff',
};

const introductions: Readonly<Record<TokenHolder, { title: string; description: string }>> = {
  client: { title: 'Product Availability Service', description: overview },
  staff: { title: 'Product Availability Service for staff', description: staffOverview },
};

const bearerAuth = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'opaque',
  description:
    'The operator issues tokens, `pas_live_…` or `pas_test_…`. Send yours as `Authorization: Bearer <token>`, in this header only. It has scopes and an expiry date. Several can be valid at a time, so that you can rotate them without downtime.',
} as const;

/** Both OpenAPI documents, from the types, doc comments and declarations of controllers. */
export function describe(
  app: INestApplication,
  config: Config,
): Readonly<Record<TokenHolder, OpenAPIObject>> {
  const frame = new DocumentBuilder()
    .setOpenAPIVersion('3.0.4')
    .setVersion(INTERFACE_VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(config.publicUrl, config.production ? 'Production' : 'Local, for trying out')
    .addBearerAuth(bearerAuth, 'bearerAuth')
    .build();
  const whole = SwaggerModule.createDocument(app, frame, {
    operationIdFactory: (_controller, handler) => handler,
    extraModels: [ProblemBody, ValidationErrorProblem, InvalidPostcodeProblem, ...webhookPayloads],
  });
  const describeFor = (holder: TokenHolder) => {
    const info = { ...whole.info, ...introductions[holder], contact: contactOf(config) };
    const messages = holder === 'client' ? webhookPayloads.map(({ name }) => name) : [];
    return finishDescription({ ...whole, info }, holder, messages);
  };
  return { client: describeFor('client'), staff: describeFor('staff') };
}

function contactOf({ publicUrl, salesContact }: Config): ContactObject {
  const email = isEmail(salesContact) ? { email: salesContact } : {};
  return { name: 'Sales', url: publicUrl, ...email };
}
