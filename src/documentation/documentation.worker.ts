import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type DocumentedSettings, DocumentationPages } from './documentation-pages.js';
import { SearchIndex } from './search.js';
import type { StaticContent } from '../platform/openapi/static-page.js';

export type DocumentationRequest = { readonly address: string } | { readonly query: string };

/** Undefined where there is no page at the address. */
export type DocumentationResponse = StaticContent | undefined;

// On Linux this is the priority of this thread alone; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(10);

const pages = new DocumentationPages(workerData as DocumentedSettings);
let index: SearchIndex | undefined;

function makeIndex(): SearchIndex {
  const made = new SearchIndex();
  for (const { href } of pages.links().flatMap(({ links }) => links)) {
    made.add(href, String(pages.make(href)?.text));
  }
  return made;
}

function search(query: string): StaticContent {
  const results = query === '' ? '' : (index ??= makeIndex()).results(query);
  return pages.found(query, results);
}

parentPort!.on('message', (request: DocumentationRequest) => {
  const response: DocumentationResponse =
    'query' in request ? search(request.query) : pages.make(request.address);
  parentPort!.postMessage(response);
});
