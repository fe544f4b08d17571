import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
} from '@nestjs/swagger';
import { STATUS_CODES } from 'node:http';
import { escapeHtml } from '../platform/kernel/text.js';
import { codeFigure, type Heading, renderInline } from './markdown.js';
import type { PageContent } from './layout.js';
import {
  type DescribedOperation,
  type Reference,
  type ReferenceGroup,
  route,
} from './reference.js';
import { fieldTable, nameIn, SchemaReader } from './reference-fields.js';
import { type SampleRequest, samplesOf } from './request-samples.js';

type Media = NonNullable<ResponseObject['content']>[string];
type MediaTypes = Readonly<Record<string, Media>>;

export class ReferencePage {
  private readonly schemas: SchemaReader;
  /** The operation whose response first had the fields of a schema. */
  private readonly shown = new Map<string, OperationObject>();
  /** The examples of responses so far: equal ones are shown once. */
  private readonly examples = new Set<string>();

  constructor(
    private readonly reference: Reference,
    private readonly group: ReferenceGroup,
  ) {
    this.schemas = new SchemaReader(reference.document.components?.schemas ?? {});
  }

  content(): Omit<PageContent, 'href'> {
    const { description, operations } = this.group;
    const title = `${this.group.title}: ${this.reference.title.toLowerCase()}`;
    const sections = operations.map((one) => this.section(one));
    const headings = operations.map(({ operation }): Heading => {
      const { operationId = '', summary = '' } = operation;
      return { depth: 2, id: operationId, text: escapeHtml(summary) };
    });
    const html = `<h1>${title}</h1>\n<p>${renderInline(description)}</p>\n${sections.join('')}`;
    return { title, html, headings, isWide: true };
  }

  private section(described: DescribedOperation): string {
    const { method, path, operation } = described;
    const { operationId = '', summary = '', description = '', parameters = [] } = operation;
    const paragraphs = description.split('\n\n').map((one) => `<p>${renderInline(one)}</p>\n`);
    const body = operation.requestBody as RequestBodyObject | undefined;
    const [bodyMedia] = Object.values(body?.content ?? {});
    const tables = [...tableNames].map(([place, caption]) => {
      const own = (parameters as ParameterObject[]).filter((one) => one.in === place);
      const fields = own.map(({ name, schema = {}, required = false, ...rest }) =>
        this.schemas.field(name, { ...schema, ...rest }, required),
      );
      return fieldTable(fields, caption, 'request');
    });
    const bodyFields = this.bodyTables(bodyMedia);
    return `<section class="operation">
<h2 id="${operationId}"><a href="#${operationId}">${escapeHtml(summary)}</a></h2>
<p>${route(method, path)}</p>
<div class="explained">
${paragraphs.join('')}${tables.join('')}${bodyFields}${this.successes(operation)}${this.problems(operation)}</div>
<div class="shown">
${this.samples(described)}${this.otherBodies(bodyMedia)}${this.answers(operation)}</div>
</section>
`;
  }

  /** The fields of the body; of a body of several kinds, a table for each. */
  private bodyTables(media: Media | undefined): string {
    const schema = media?.schema;
    const kinds = schema && 'oneOf' in schema ? (schema.oneOf ?? []) : [];
    if (kinds.length === 0) return fieldTable(this.schemas.fieldsOf(schema), 'Body', 'request');
    const tables = kinds.map((kind) => {
      const { description } = this.schemas.field('', kind, true);
      const caption = `Body: ${SchemaReader.nameOf(kind)}`;
      return `<p>${description}</p>\n${fieldTable(this.schemas.fieldsOf(kind), caption, 'request')}`;
    });
    return tables.join('');
  }

  private samples(described: DescribedOperation): string {
    const sample = this.sampleRequest(described);
    const samples = samplesOf(sample).map(
      ({ language, name, code }, index) =>
        `<details${index === 0 ? ' open' : ''}><summary>${name}</summary>\n${codeFigure(code, language)}</details>\n`,
    );
    const { operationId = '', summary = '', parameters = [] } = described.operation;
    const form = tryForm({
      operationId,
      summary,
      path: described.path,
      sample,
      parameters: parameters as ParameterObject[],
    });
    return `<h3>Request</h3>\n<div class="samples">\n${samples.join('')}</div>\n${form}`;
  }

  /** A whole request, with the first example of the body and without optional queries. */
  private sampleRequest({ method, path, operation }: DescribedOperation): SampleRequest {
    const parameters = (operation.parameters ?? []) as ParameterObject[];
    const valueOf = (name: string) =>
      String(parameters.find((one) => one.name === name)?.example ?? name);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(valueOf(name)),
    );
    const query = parameters.filter((one) => one.in === 'query' && one.required);
    const search = query.map(({ name }) => `${name}=${encodeURIComponent(valueOf(name))}`);
    const headers = parameters.filter((one) => one.in === 'header');
    const { content = {} } = (operation.requestBody ?? {}) as Partial<RequestBodyObject>;
    const [[type, media] = []] = Object.entries(content);
    const example = media && examplesOf(media, this.reference.document)[0]?.value;
    return {
      method,
      url: `${this.reference.document.servers?.[0]?.url ?? ''}${[filled, ...search].join('?')}`,
      needsToken: (operation.security ?? []).length > 0,
      headers: Object.fromEntries(headers.map(({ name }) => [name, valueOf(name)])),
      ...(type === 'multipart/form-data' ? { form: asForm(media, example) } : { body: example }),
      answer: answerOf(Object.keys(this.contentOf(operation))),
    };
  }

  /** The content of the first success. */
  private contentOf(operation: OperationObject): MediaTypes {
    const [first] = successesOf(operation);
    return first?.[1].content ?? {};
  }

  private otherBodies(media: Media | undefined): string {
    const others = media ? examplesOf(media, this.reference.document).slice(1) : [];
    return others
      .filter(({ value }) => !('products' in (value as object)))
      .map(({ summary, value }) => exampleFigure(`Body: ${summary}`, value))
      .join('');
  }

  private successes(operation: OperationObject): string {
    const parts = successesOf(operation).map(([status, { description, headers, content }]) => {
      const names = Object.keys(headers ?? {}).map((name) => `<code>${name}</code>`);
      const carried = `<p><a href="${this.reference.href}#headers">Headers</a>: ${names.join(', ')}</p>`;
      const [[, media] = []] = Object.entries(content ?? {});
      return `<h3>Response ${status} ${STATUS_CODES[status]}</h3>
<p>${renderInline(description)}</p>
${carried}
${this.answerFields(operation, media)}`;
    });
    return parts.join('');
  }

  /** A table of the fields, or a link to the operation that had them already. */
  private answerFields(operation: OperationObject, media: Media | undefined): string {
    const name = SchemaReader.nameOf(media?.schema);
    const before = this.shown.get(name);
    if (before) {
      const { operationId, summary = '' } = before;
      return `<p>The same as the response of <a href="#${operationId}">${escapeHtml(summary)}</a>.</p>\n`;
    }
    if (name !== '') this.shown.set(name, operation);
    return fieldTable(this.schemas.fieldsOf(media?.schema), 'Response body', 'response');
  }

  private answers(operation: OperationObject): string {
    const figures = successesOf(operation).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, media]) =>
        examplesOf(media, this.reference.document).flatMap(({ summary, value }) => {
          const text = JSON.stringify([status, value]);
          if (this.examples.has(text)) return [];
          this.examples.add(text);
          return [exampleFigure(`${status} ${summary || STATUS_CODES[status]}`, value, type)];
        }),
      ),
    );
    return figures.length > 0 ? `<h3>Response</h3>\n${figures.join('')}` : '';
  }

  private problems(operation: OperationObject): string {
    const rows = Object.entries(operation.responses).flatMap(([status, response]) => {
      const { content } = this.resolve(response as ResponseObject);
      const codes = Object.keys(content?.['application/problem+json']?.examples ?? {});
      return codes.map((code) => {
        const { summary = '' } = this.reference.document.components?.examples?.[code] as {
          summary?: string;
        };
        return `<tr><td>${status}</td><th scope="row"><a href="/problems/${code}">${code}</a></th><td>${escapeHtml(summary)}</td></tr>\n`;
      });
    });
    return `<h3>Errors</h3>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Problem</th></tr></thead>
<tbody>
${rows.join('')}</tbody>
</table></div>
`;
  }

  private resolve(response: ResponseObject): ResponseObject {
    const shared = this.reference.document.components?.responses?.[nameIn(response)];
    return (shared as ResponseObject | undefined) ?? response;
  }
}

const tableNames: ReadonlyMap<ParameterObject['in'], string> = new Map([
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
]);

function successesOf({ responses }: OperationObject): [number, ResponseObject][] {
  return Object.entries(responses).flatMap(([status, response]): [number, ResponseObject][] =>
    response && !('$ref' in response) ? [[Number(status), response]] : [],
  );
}

interface NamedExample {
  readonly summary: string;
  readonly value: unknown;
}

export function examplesOf(
  { example, examples }: Media,
  { components }: OpenAPIObject,
): NamedExample[] {
  const named = Object.entries(examples ?? {}).map(([name, own]) => {
    return ('$ref' in own ? components?.examples?.[name] : own) as Partial<NamedExample>;
  });
  if (named.length === 0) return example === undefined ? [] : [{ summary: '', value: example }];
  return named.map(({ summary = '', value }) => ({ summary, value }));
}

/** The example of a form; each file is in the current folder. */
function asForm(media: Media | undefined, example: unknown): Record<string, string> {
  const { properties = {} } = (media?.schema ?? {}) as {
    properties?: Record<string, { format?: string }>;
  };
  const entries = Object.entries((example ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      properties[name]?.format === 'binary' ? `@${name}.csv` : String(value),
    ]),
  );
}

function answerOf(types: readonly string[]): SampleRequest['answer'] {
  if (types.includes('text/event-stream')) return 'stream';
  return types.length === 0 || types.includes('application/json') ? 'json' : 'text';
}

function exampleFigure(caption: string, value: unknown, type = 'application/json'): string {
  const text = type === 'application/json' ? JSON.stringify(value, null, 2) : String(value);
  return codeFigure(text, type === 'application/json' ? 'json' : '', renderInline(caption));
}

/** An operation that a reader can call from its page. */
interface Tried {
  readonly operationId: string;
  readonly summary: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  readonly parameters: readonly ParameterObject[];
  readonly sample: SampleRequest;
}

/**
 * The form that sends the request of an operation, which `browser/try.ts` does. Empty for uploads and for
 * streams that do not end: a terminal is the place to try these.
 */
function tryForm(tried: Tried): string {
  const { operationId, summary, path, parameters, sample } = tried;
  const { method, needsToken, body, form, answer } = sample;
  if (form || answer === 'stream') return '';
  const fields = parameters
    .filter(({ in: place }) => place === 'path' || place === 'query' || place === 'header')
    .map(({ in: place, name, required = false, example }) => {
      const shown = required || place === 'path' ? String(example ?? '') : '';
      return field(`${operationId}-${place}-${name}`, `${place}:${name}`, name, shown, required);
    });
  const text = body === undefined ? '' : JSON.stringify(body, null, 2);
  const bodyField =
    body === undefined
      ? ''
      : `<p><label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" name="body" rows="${Math.min(16, text.split('\n').length)}" spellcheck="false">${escapeHtml(text)}</textarea></p>\n`;
  const token = needsToken
    ? field(`${operationId}-token`, 'token', 'Token', '', true, ' placeholder="pas_test_…"')
    : '';
  return `<details class="try" hidden><summary>Try it<span class="unseen">: ${escapeHtml(summary)}</span></summary>
<form data-method="${method}" data-path="${escapeHtml(path)}">
${token}${fields.join('')}${bodyField}<p><button>Send</button></p>
<div class="outcome"></div>
</form>
</details>
`;
}

function field(
  id: string,
  name: string,
  label: string,
  value: string,
  required: boolean,
  more = '',
) {
  const word = required ? '' : ' <span class="limits">optional</span>';
  return `<p><label for="${id}">${escapeHtml(label)}${word}</label>
<input id="${id}" name="${escapeHtml(name)}" value="${escapeHtml(value)}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}${more}></p>\n`;
}
