import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import {
  type ContactObject,
  DocumentBuilder,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { isEmail } from 'class-validator';
import { AppModule } from './app.module.js';
import { CatalogueRejectedProblem, GuardRailProblem } from './catalogue/catalogue-problems.dto.js';
import type { Clock } from './kernel/clock.js';
import { readJsonBody } from './http/json-body.js';
import { LeanExpressAdapter } from './http/lean-express.adapter.js';
import { checkFastPath } from './availability/check-fast-path.js';
import { finishDescription } from './openapi/description.js';
import { overview } from './openapi/description-overview.js';
import {
  InvalidPostcodeProblem,
  ProblemBody,
  ValidationErrorProblem,
} from './problems/problem.dto.js';
import { DOCUMENTATION_POLICY, securityHeaders } from './http/security-headers.js';
import { acceptRequest, joinSlashes } from './http/request-id.js';
import { followTrace } from './http/follow-trace.js';
import { RouteTable } from './http/route-table.js';
import { Traces } from './tracing/traces.js';
import type { Config } from './config/config.js';
import { REFERENCE } from './documentation/reference.js';
import { Log } from './ops/log.js';
import { RequestJournal } from './ops/request-journal.js';
import { OrderMovedProblem } from './orders/moves/order-moved.dto.js';
import { OfferChangedProblem, ProductNotAvailableProblem } from './orders/orders.dto.js';

/** The version of the interface, as the specification gives it. */
export const INTERFACE_VERSION = '0.3.0';

/** The whole service on a database that is open and migrated; call `listen` on it. */
export async function createApp(
  config: Config,
  clock?: Clock,
  log = new Log(config),
): Promise<NestExpressApplication> {
  const adapter = new LeanExpressAdapter(securityHeaders(config.publicUrl));
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(config, clock),
    adapter,
    {
      bodyParser: false,
      abortOnError: false,
      logger: log,
    },
  );
  const journal = app.get(RequestJournal);
  journal.writeTo(log);
  adapter.rules.ended = (answer) => journal.ended(answer);
  configure(app, config);
  adapter.answerFirst(checkFastPath(app));
  return app;
}

/** Everything in front of the controllers, in order. */
function configure(app: NestExpressApplication, config: Config): void {
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');
  app.use(acceptRequest);
  app.use(joinSlashes);
  app.use(readJsonBody);
  app.use(followTrace(app.get(Traces)));
  serveDescription(app, config);
}

/** The OpenAPI document, from the controllers' types and doc comments. */
export function describe(app: INestApplication, config: Config): OpenAPIObject {
  const frame = new DocumentBuilder()
    .setOpenAPIVersion('3.0.4')
    .setTitle('Product Availability Service')
    .setDescription(overview)
    .setVersion(INTERFACE_VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(config.publicUrl, config.production ? 'Production' : 'Local, for trying out')
    .addBearerAuth(bearerAuth, 'bearerAuth')
    .build();
  const info = { ...frame.info, contact: contactOf(config) };
  const document = SwaggerModule.createDocument(
    app,
    { ...frame, info },
    {
      operationIdFactory: (_controller, handler) => handler,
      extraModels: problemBodies,
    },
  );
  return finishDescription(document);
}

const bearerAuth = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'opaque',
  description:
    'The operator issues tokens, `pas_live_…` or `pas_test_…`. Send yours as `Authorization: Bearer <token>`, in this header only. It has scopes and an expiry date; several can be valid at a time, so that one can be exchanged for the next without a break.',
} as const;

const problemBodies = [
  ProblemBody,
  ValidationErrorProblem,
  InvalidPostcodeProblem,
  ProductNotAvailableProblem,
  OfferChangedProblem,
  OrderMovedProblem,
  GuardRailProblem,
  CatalogueRejectedProblem,
];

function contactOf({ publicUrl, salesContact }: Config): ContactObject {
  const email = isEmail(salesContact) ? { email: salesContact } : {};
  return { name: 'Sales', url: publicUrl, ...email };
}

function serveDescription(app: NestExpressApplication, config: Config): void {
  const document = once(() => describe(app, config));
  const json = once(() => JSON.stringify(document()));
  // Read with the first request: few ask for it, and every start would pay for it.
  const yaml = once(async () => {
    const { stringify } = await import('yaml');
    return stringify(document(), { aliasDuplicateObjects: false });
  });
  const express = app.getHttpAdapter().getInstance();
  app.get(RouteTable).addPage(/^\/(?:openapi\.(?:json|yaml)|docs\/reference)\/?$/i);
  express.get('/openapi.json', (_request, response) => {
    response.type('application/json').send(json());
  });
  express.get('/openapi.yaml', async (_request, response) => {
    response.type('application/yaml').send(await yaml());
  });
  app.use(`/${REFERENCE}`, (_request: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', DOCUMENTATION_POLICY);
    next();
  });
  SwaggerModule.setup(REFERENCE, app, document, {
    raw: false,
    customSiteTitle: 'Product Availability Service',
    // Otherwise the page shows the description's address to validator.swagger.io.
    swaggerOptions: { validatorUrl: null, persistAuthorization: false, docExpansion: 'none' },
  });
}

/** `make`, called when its result is first asked for, and never again. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
