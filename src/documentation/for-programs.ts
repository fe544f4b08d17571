import type {
  OpenAPIObject,
  ParameterObject,
  RequestBodyObject,
  OperationObject,
  ResponseObject,
} from '@nestjs/swagger';
import type { DescribedOperation, Reference, ReferenceGroup } from './reference.js';
import { examplesOf } from './reference-page.js';
import type { LinkGroup } from './layout.js';
import type { MarkdownContext } from './markdown.js';
import { type Field, SchemaReader } from './reference-fields.js';

/** A paragraph of one link. */
const LONE_LINK = /^\[[^\]]+\]\(([^)\s]+)\)$/gm;
const LINK = /(\]\()([^)\s]+)(\))/g;
const BLOCK = /^ *```[^]*?^ *```$/gm;

/** A guide for programs: with the files that it links to, and with whole addresses. */
export function guideAsMarkdown(
  text: string,
  base: string,
  { fileAt, leadsTo }: MarkdownContext,
): string {
  const withFiles = text.replaceAll(LONE_LINK, (link, href: string) => {
    const file = fileAt(href);
    const language = /\w*$/.exec(href)![0];
    return file === undefined ? link : `${link}\n\n\`\`\`${language}\n${file.trimEnd()}\n\`\`\``;
  });
  return withAddresses(withFiles, base, leadsTo);
}

/** Links outside code lead to whole addresses. */
function withAddresses(text: string, base: string, leadsTo = (href: string) => href): string {
  const blocks = text.match(BLOCK) ?? [];
  const prose = text.split(BLOCK).map((part) =>
    part.replaceAll(LINK, (_, open: string, href: string, close: string) => {
      const [path = '', anchor] = leadsTo(href).split('#');
      return `${open}${addressOf(path, base)}${anchor === undefined ? '' : `#${anchor}`}${close}`;
    }),
  );
  return prose.map((part, index) => part + (blocks[index] ?? '')).join('');
}

/** The address of the Markdown of a page; of what is none, that of the thing itself. */
function addressOf(path: string, base: string): string {
  if (!path.startsWith('/')) return path;
  return `${base}${/^\/docs(?:\/reference(?:\/[\w-]+)?|\/[\w-]+)?$/.test(path) ? markdownOf(path) : path}`;
}

/** The address of the Markdown of a page. */
function markdownOf(href: string): string {
  return href === '/docs' ? '/docs/README.md' : `${href}.md`;
}

/** Of the first paragraph, without the addresses of links; empty where there is none. */
function firstSentence(text: string): string {
  const [paragraph = ''] = /^(?![#|`<-]).+(?:\n.+)*/m.exec(text.replaceAll(BLOCK, '')) ?? [];
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ');
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain.replace(/:$/, '.');
}

/** https://llmstxt.org: what there is to read, with a sentence about each page. */
export function llmsText(
  site: string,
  base: string,
  groups: readonly LinkGroup[],
  textOf: (href: string) => string,
): string {
  const sections = groups.map(({ title, links }) => {
    const rows = links.map(({ href, title: name }) => {
      const sentence = firstSentence(textOf(href));
      return `- [${name}](${base}${markdownOf(href)})${sentence && `: ${sentence}`}\n`;
    });
    return `## ${title}\n\n${rows.join('')}`;
  });
  return `# ${site}

> Which connectivity products can be supplied at a UK postcode, at what price and by when, and orders for them: a JSON API for resellers and partners.

Every error is \`application/problem+json\`; branch on \`code\`. Send the token as \`Authorization: Bearer <token>\`. A test token (\`pas_test_…\`) has no real effects.

${sections.join('\n')}
## For programs

- [OpenAPI](${base}/openapi.json): every operation, field and webhook message
- [Postman collection](${base}/docs/postman.json): every operation with an example
`;
}

/** The operations of a group, with their fields and problems. */
export function referenceAsMarkdown(
  { document }: Reference,
  { title, description, operations }: ReferenceGroup,
  base: string,
): string {
  const reader = new SchemaReader(document.components?.schemas ?? {});
  const sections = operations.map((one) => operationAsMarkdown(one, reader));
  return withAddresses(`# ${title}\n\n${description}\n\n${sections.join('\n')}`, base);
}

function operationAsMarkdown(
  { method, path, operation }: DescribedOperation,
  reader: SchemaReader,
): string {
  const { summary, description = '', parameters = [], requestBody, responses } = operation;
  const inputs = (parameters as ParameterObject[]).map(({ name, schema = {}, required, ...rest }) =>
    reader.field(name, { ...schema, ...rest }, required ?? false),
  );
  const [media] = Object.values((requestBody as RequestBodyObject | undefined)?.content ?? {});
  const answers = Object.entries(responses).flatMap(([status, response]) => {
    const { content = {} } = response as ResponseObject;
    const [[type, { schema } = {}] = []] = Object.entries(content);
    if (type === undefined) return [];
    return fieldsAsMarkdown(`Response ${status}`, reader.fieldsOf(schema));
  });
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    description,
    ...fieldsAsMarkdown('Parameters', inputs),
    ...fieldsAsMarkdown('Body', reader.fieldsOf(media?.schema)),
    ...answers,
    problemsOf(responses),
    '',
  ].join('\n\n');
}

function fieldsAsMarkdown(title: string, fields: readonly Field[]): string[] {
  if (fields.length === 0) return [];
  const rows = fields.map(({ name, type, isRequired, limits, description }) => {
    const about = [type, ...(isRequired ? [] : ['optional']), ...limits].map(plainOf).join('; ');
    return `- \`${name}\` (${about}): ${plainOf(description)}`;
  });
  return [`### ${title}`, rows.join('\n')];
}

/** References to shared responses are those of problems, whose codes the description has. */
function problemsOf(responses: OperationObject['responses']): string {
  const statuses = Object.keys(responses).filter((status) => status >= '400');
  return `Problems: ${statuses.join(', ')}. See [Errors](/docs/errors).`;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** The Markdown of what `SchemaReader` has made HTML. */
function plainOf(html: string): string {
  return html
    .replaceAll(/<\/?code>/g, '`')
    .replaceAll(/<a href="([^"]*)">([^]*?)<\/a>/g, '[$2]($1)')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(lt|gt|quot|amp);/g, (_, name: string) => entities[name]!)
    .replaceAll('&#39;', "'");
}

/** Ids that a request takes from the response of an earlier one: by the name of the field. */
const remembered = ['checkId', 'quoteId', 'orderId', 'enquiryId', 'offerId', 'chargeId', 'watchId'];

/** Runs in Postman after each request. A check has its id in `id`. The newest of a list comes first. */
const REMEMBER = `const known = ${JSON.stringify(remembered)};
const found = {};
const visit = (value) => {
  if (value === null || typeof value !== 'object') return;
  for (const [name, one] of Object.entries(value)) {
    if (known.includes(name) && typeof one === 'string' && !(name in found)) found[name] = one;
    visit(one);
  }
};
if (pm.response.code < 300 && /json/.test(pm.response.headers.get('Content-Type') ?? '')) {
  const body = pm.response.json();
  if (body.availableProducts && body.id) found.checkId = body.id;
  visit(body);
  for (const [name, value] of Object.entries(found)) pm.collectionVariables.set(name, value);
}`;

const TEST_TOKEN =
  'Use a test token (pas_test_…). With a live token the requests place real orders, and those with DELETE remove your webhook, interconnects and watches.';

/** The collection of all operations, for Postman and for programs that read its format (version 2.1). */
export function postmanCollection({ document, groups }: Reference): object {
  const { title, version, description } = document.info;
  const variable = (key: string, value = '') => ({ key, value, type: 'string' });
  return {
    info: {
      name: title,
      version,
      description: `${TEST_TOKEN}\n\n${description ?? ''}`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [variable('token', '{{token}}')] },
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: REMEMBER.split('\n') } }],
    variable: [
      variable('baseUrl', document.servers?.[0]?.url),
      { ...variable('token'), description: TEST_TOKEN },
      ...remembered.map((name) => variable(name)),
    ],
    item: groups.map((group) => ({
      name: group.title,
      description: group.description,
      item: group.operations.map((one) => itemOf(one, document)),
    })),
  };
}

function itemOf({ method, path, operation }: DescribedOperation, document: OpenAPIObject): object {
  const { summary, description, security = [] } = operation;
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  const within = (place: string) => parameters.filter((one) => one.in === place);
  const query = within('query').map((one) => ({ ...pairOf(one), disabled: !one.required }));
  const segments = path.split('/').slice(1);
  const { content = {} } = (operation.requestBody ?? {}) as Partial<RequestBodyObject>;
  const { 'application/json': json } = content;
  const body = json && {
    mode: 'raw',
    raw: withVariables(JSON.stringify(examplesOf(json, document)[0]?.value ?? {}, null, 2)),
    options: { raw: { language: 'json' } },
  };
  const header = within('header').map((one) =>
    one.name === 'Idempotency-Key' ? { ...pairOf(one), value: '{{$guid}}' } : pairOf(one),
  );
  const url = {
    raw: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    host: ['{{baseUrl}}'],
    path: segments.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1')),
    variable: within('path').map((one) => {
      const pair = pairOf(one);
      return remembered.includes(one.name) ? { ...pair, value: `{{${one.name}}}` } : pair;
    }),
    query,
  };
  return {
    name: summary,
    request: {
      method,
      description,
      ...(security.length === 0 && { auth: { type: 'noauth' } }),
      header: [...header, ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : [])],
      url,
      ...(body && { body }),
    },
    response: [],
  };
}

/** `"offerId": "{{offerId}}"` */
function withVariables(json: string): string {
  return json.replaceAll(/"(\w+)": "[^"]*"/g, (pair, name: string) =>
    remembered.includes(name) ? `"${name}": "{{${name}}}"` : pair,
  );
}

function pairOf({ name, example, schema, description }: ParameterObject) {
  const shown: unknown = example ?? (schema as { example?: unknown } | undefined)?.example ?? '';
  return { key: name, value: String(shown), description };
}
