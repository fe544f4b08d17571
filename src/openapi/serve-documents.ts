import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import type { TokenHolder } from '../access/scopes.js';
import type { Config } from '../config/config.js';
import { REFERENCE } from '../documentation/reference.js';
import { RoutesService } from '../http/routes.service.js';
import { DOCUMENTATION_POLICY } from '../http/security-headers.js';
import { describe, documentNames } from './documents.js';

/** Serves both documents as JSON and YAML, and Swagger UI, which offers both. */
export function serveDocuments(app: NestExpressApplication, config: Config): void {
  // Made with the first request, to keep the start short.
  const documents = once(() => describe(app, config));
  const express = app.getHttpAdapter().getInstance();
  for (const [holder, name] of Object.entries(documentNames) as [TokenHolder, string][]) {
    const json = once(() => JSON.stringify(documents()[holder]));
    const yaml = once(async () => {
      const { stringify } = await import('yaml');
      return stringify(documents()[holder], { aliasDuplicateObjects: false });
    });
    express.get(`/${name}.json`, (_request, response) => {
      response.type('application/json').send(json());
    });
    express.get(`/${name}.yaml`, async (_request, response) => {
      response.type('application/yaml').send(await yaml());
    });
  }
  const names = Object.values(documentNames).join('|');
  app
    .get(RoutesService)
    .addPage(new RegExp(`^/(?:(?:${names})\\.(?:json|yaml)|docs/reference)/?$`, 'i'));
  serveReference(app);
}

function serveReference(app: NestExpressApplication): void {
  app.use(`/${REFERENCE}`, (_request: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', DOCUMENTATION_POLICY);
    next();
  });
  // Swagger UI loads the documents from their addresses.
  SwaggerModule.setup(REFERENCE, app, {} as OpenAPIObject, {
    raw: false,
    explorer: true,
    customSiteTitle: 'Product Availability Service',
    swaggerOptions: {
      urls: [
        { name: 'For API clients', url: `/${documentNames.client}.json` },
        { name: 'For staff', url: `/${documentNames.staff}.json` },
      ],
      // Do not send the document's address to validator.swagger.io.
      validatorUrl: null,
      persistAuthorization: false,
      docExpansion: 'none',
    },
  });
}

/** Calls `make` for the first caller, and keeps the result. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
