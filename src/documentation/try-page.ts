import { readSwaggerUi } from './library.js';
import type { StaticContent } from '../platform/openapi/static-page.js';

/** The page of Swagger UI, which the script fills. `?staff` chooses the document for staff. */
export const TRY_OUT = '/docs/try';

/** The files of swagger-ui-dist that the page loads, and their licences. */
const files: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
};

const addressOf = (name: string) => `/docs/assets/${name}`;

/** Each file is read when it is first requested. */
export const swaggerUi = Object.entries(files).map(
  ([name, type]) =>
    [addressOf(name), (): StaticContent => ({ type, text: readSwaggerUi(name) })] as const,
);

/** @param script the address of the script that starts Swagger UI */
export function tryPage(script: string) {
  const title = 'Try it';
  return {
    title,
    headings: [],
    isWide: true,
    html: `<h1>${title}</h1>
<p>Send requests from this page, with your test token: choose <em>Authorize</em>, then an operation.
Document: <a href="${TRY_OUT}">for API clients</a>, or <a href="${TRY_OUT}?staff">for staff</a>.</p>
<noscript><p>This page needs JavaScript. The <a href="/docs/reference">reference</a> shows each request
as a command.</p></noscript>
<link rel="stylesheet" href="${addressOf('swagger-ui.css')}">
<h2>Operations</h2>
<div id="swagger-ui"></div>
<script src="${addressOf('swagger-ui-bundle.js')}" defer></script>
<script src="${script}" type="module"></script>
`,
  };
}
