import type { OpenAPIObject, OperationObject, RequestBodyObject } from '@nestjs/swagger';
import { escapeHtml } from '../platform/kernel/text.js';
import type { PageContent } from './layout.js';
import { renderInline, slugOf } from './markdown.js';
import { fieldTable, nameIn, SchemaReader } from './reference-fields.js';

/** The address of the index of the reference for API clients. Other pages of both are below it. */
const REFERENCE = '/docs/reference';

export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The operations with one tag, which have a page. */
export interface ReferenceGroup {
  readonly href: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly DescribedOperation[];
}

interface ReferenceIndex {
  readonly title: string;
  readonly href: string;
  /** The address of the document, without its extension. */
  readonly file: string;
  /** Precedes the list of operations, as Markdown. */
  readonly introduction: string;
}

/** An OpenAPI document; for API clients with the messages to their webhooks. */
type DescribedDocument = OpenAPIObject & {
  readonly 'x-webhooks'?: { readonly message: { readonly post: OperationObject } };
};

/** The pages for one OpenAPI document. */
export interface Reference extends ReferenceIndex {
  readonly document: DescribedDocument;
  readonly groups: readonly ReferenceGroup[];
}

export const clientReference: ReferenceIndex = {
  title: 'Reference',
  href: REFERENCE,
  file: '/openapi',
  introduction:
    'Read [Quick start](/docs/quick-start) first. Send your token as `Authorization: Bearer <token>`.',
};

export const staffReference: ReferenceIndex = {
  title: 'Staff reference',
  href: `${REFERENCE}/staff`,
  file: '/openapi-staff',
  introduction:
    "For integrations of the operator's own staff. An administrator issues the token: `npm run cli -- tokens issue --staff <email>`. Tokens of API clients cannot call these operations. A change of an order has the `version` that you last saw; if the order has changed since, the answer is 409 [order-moved](/problems/order-moved).",
};

/** @param fill puts this service's address and contact into a text of the document */
export function readReference(
  index: ReferenceIndex,
  json: string,
  fill: (text: string) => string,
): Reference {
  const document = JSON.parse(json, (_key, value: unknown) =>
    typeof value === 'string' ? fill(value) : value,
  ) as DescribedDocument;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => {
      return { method: method.toUpperCase(), path, operation };
    }),
  );
  const groups = (document.tags ?? []).map(({ name, description = '' }) => ({
    href: `${index.href}${index.href === REFERENCE ? '/' : '-'}${slugOf(name)}`,
    title: name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  return { ...index, document, groups };
}

/** Every operation with a link, by group, and the headers of responses. */
export function referenceIndex(reference: Reference): Omit<PageContent, 'href'> {
  const { title, file, document, groups } = reference;
  const sections = groups.map(({ href, title, description, operations }) => {
    const items = operations.map(({ method, path, operation: { operationId, summary = '' } }) => {
      return `<li><a href="${href}#${operationId}">${escapeHtml(summary)}</a> ${route(method, path)}</li>\n`;
    });
    const heading = `<h2 id="${slugOf(title)}"><a href="${href}">${title}</a></h2>`;
    return `${heading}\n<p>${renderInline(description)}</p>\n<ul>\n${items.join('')}</ul>\n`;
  });
  const reader = new SchemaReader(document.components?.schemas ?? {});
  const headers = Object.entries(document.components?.headers ?? {}).map(([name, header]) => {
    const { schema = {}, ...rest } = '$ref' in header ? {} : header;
    return reader.field(name, { ...schema, ...rest } as typeof schema, true);
  });
  const chapters = [
    {
      id: 'webhook-messages',
      text: 'Messages to webhooks',
      content: webhookTables(document, reader),
    },
    {
      id: 'headers',
      text: 'Headers of responses',
      content: fieldTable(headers, 'Headers', 'response'),
    },
  ].filter(({ content }) => content !== '');
  const html = `<h1>${title}</h1>
<p>${renderInline(reference.introduction)}</p>
<p>Every operation, with its fields, errors and samples in five languages. The same for programs, such as
code generators: <a href="${file}.json">JSON</a>, <a href="${file}.yaml">YAML</a> (OpenAPI 3.0).</p>
${sections.join('')}${chapters.map(({ id, text, content }) => `<h2 id="${id}"><a href="#${id}">${text}</a></h2>\n${content}`).join('')}`;
  const headings = [
    ...groups.map(({ title }) => ({ id: slugOf(title), text: title })),
    ...chapters,
  ].map(({ id, text }) => ({ depth: 2, id, text }));
  return { title, html, headings };
}

/** The fields of each message to a webhook; empty where there are none. */
function webhookTables(document: DescribedDocument, reader: SchemaReader): string {
  const { post } = document['x-webhooks']?.message ?? {};
  const [body] = Object.values((post?.requestBody as RequestBodyObject | undefined)?.content ?? {});
  const messages = body?.schema && 'oneOf' in body.schema ? (body.schema.oneOf ?? []) : [];
  if (messages.length === 0) return '';
  const tables = messages.map((message) => {
    const { name, description } = reader.field(nameIn(message), message, true);
    const fields = fieldTable(reader.fieldsOf(message), `Body of ${name}`, 'response');
    return `<h3 id="${name}"><code>${name}</code></h3>\n<p>${description}</p>\n${fields}`;
  });
  return `<p>What the service sends to your <a href="/docs/webhooks">webhook</a>. The <code>type</code> of a message says which fields it has.</p>\n${tables.join('')}`;
}

export function route(method: string, path: string): string {
  const parts = escapeHtml(path).replaceAll('/', '<wbr>/');
  return `<span class="route"><b>${method}</b> <code>${parts}</code></span>`;
}
