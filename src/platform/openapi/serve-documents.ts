import type { NestExpressApplication } from '@nestjs/platform-express';
import type { TokenHolder } from '../access/scopes.js';
import type { Config } from '../config/config.js';
import { StaticPage } from './static-page.js';
import { RoutesService } from '../http/routes.service.js';
import { describe, documentNames } from './documents.js';

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
