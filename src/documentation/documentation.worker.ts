import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { StaffRole } from '../platform/access/scopes.js';
import { type DocumentedSettings, DocumentationPages } from './documentation-pages.js';
import type { Audience } from './layout.js';
import { type HelpText, HelpTexts } from './help-texts.js';
import { LONGEST_QUERY, SearchIndex } from './search.js';
import type { StaticContent } from '../platform/openapi/static-page.js';

export type DocumentationRequest =
  | { readonly address: string }
  | { readonly query: string; readonly audience: Audience }
  | { readonly help: HelpRequest };

/** A topic by its name, or those with the words; all of them without words. */
export type HelpRequest = { readonly role: StaffRole } & (
  { readonly topic: string } | { readonly query: string }
);

/** Undefined where there is no such page. */
export type DocumentationResponse = StaticContent | HelpText | undefined;

// On Linux this is the priority of this thread alone; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(10);

const pages = new DocumentationPages(workerData as DocumentedSettings);
const indexes = new Map<Audience, SearchIndex>();

function indexFor(audience: Audience): SearchIndex {
  const known = indexes.get(audience);
  if (known) return known;
  const made = new SearchIndex();
  for (const { href } of pages.links(audience).flatMap(({ links }) => links)) {
    made.add(href, String(pages.make(href)?.text));
  }
  indexes.set(audience, made);
  return made;
}

function search(query: string, audience: Audience): StaticContent {
  const results = query === '' ? '' : indexFor(audience).results(query);
  return pages.found(query, audience, results);
}

let helpTexts: HelpTexts | undefined;

function help(asked: HelpRequest): HelpText | undefined {
  helpTexts ??= new HelpTexts();
  if ('topic' in asked) return helpTexts.topic(asked.topic, asked.role);
  const words = asked.query.slice(0, LONGEST_QUERY);
  return words === '' ? helpTexts.contents(asked.role) : helpTexts.found(words, asked.role);
}

function responseTo(request: DocumentationRequest): DocumentationResponse {
  if ('help' in request) return help(request.help);
  return 'query' in request ? search(request.query, request.audience) : pages.make(request.address);
}

parentPort!.on('message', (request: DocumentationRequest) => {
  parentPort!.postMessage(responseTo(request));
});
