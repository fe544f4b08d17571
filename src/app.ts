import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { AppModule } from './app.module.js';
import type { Clock } from './common/clock.js';
import { readJsonBody } from './common/json-body.js';
import { LeanExpressAdapter } from './common/lean-express.adapter.js';
import { finishDescription } from './common/description.js';
import { giveRequestId } from './common/request-id.js';
import type { Config } from './config.js';

/** The version of the interface, as the specification gives it. */
export const INTERFACE_VERSION = '0.3.0';

/** The whole service on a database that is open and migrated; call `listen` on it. */
export async function createApp(config: Config, clock?: Clock): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(config, clock),
    new LeanExpressAdapter(),
    {
      bodyParser: false,
      abortOnError: false,
      logger: config.production ? ['log', 'warn', 'error', 'fatal'] : ['warn', 'error', 'fatal'],
    },
  );
  configure(app, config);
  return app;
}

/** Everything in front of the controllers, in order. */
function configure(app: NestExpressApplication, config: Config): void {
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');
  app.use(giveRequestId);
  app.use(readJsonBody);
  serveDescription(app, config);
}

/** The OpenAPI document, from the controllers' types and doc comments. */
export function describe(app: INestApplication, config: Config): OpenAPIObject {
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder()
      .setOpenAPIVersion('3.0.4')
      .setTitle('Product Availability Service')
      .setDescription(
        'Which connectivity products can be supplied at a UK postcode, and order requests for them. Bandwidths are in Gbit/s, terms in months, prices a month excluding VAT, lead times in calendar days.',
      )
      .setVersion(INTERFACE_VERSION)
      .setLicense('MIT', 'https://opensource.org/license/mit')
      .setContact('Sales', config.publicUrl, 'sales@example.net')
      .addServer(config.publicUrl)
      .addBearerAuth(
        {
          type: 'http',
          scheme: 'bearer',
          description: 'A token `pas_…` in the header `Authorization: Bearer <token>`.',
        },
        'bearerAuth',
      )
      .build(),
    { operationIdFactory: (_controller, handler) => handler },
  );
  return finishDescription(document);
}

function serveDescription(app: NestExpressApplication, config: Config): void {
  let written: { json: string; yaml: string } | undefined;
  const description = () => {
    if (!written) {
      const document = describe(app, config);
      written = { json: JSON.stringify(document), yaml: stringify(document) };
    }
    return written;
  };
  const express = app.getHttpAdapter().getInstance();
  express.get('/openapi.json', (_request, response) => {
    response.type('application/json').send(description().json);
  });
  express.get('/openapi.yaml', (_request, response) => {
    response.type('application/yaml').send(description().yaml);
  });
  SwaggerModule.setup('docs', app, () => describe(app, config), {
    raw: false,
    customSiteTitle: 'Product Availability Service',
    swaggerOptions: { persistAuthorization: false },
  });
}
