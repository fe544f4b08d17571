import type { SchemaObject } from '@nestjs/swagger';
import fc from 'fast-check';
import { nameOf, type Schema } from '../../src/platform/openapi/description-schemas.js';
import { holderOf } from '../../src/platform/access/scopes.js';
import { type DescribedRoute, describedRoutes, describedSchemas } from './once/described-routes.js';
import type { RawRequest, Reply } from './http.js';
import type { Service } from './service.js';

const schemas = describedSchemas;

/** Event streams, whose answers do not end. */
const ENDLESS = '/follow-up/changes';

export const routes = describedRoutes.filter(({ path }) => path !== ENDLESS);

/** Chosen more often, so that some hundred requests include a valid order. */
const orderRoutes = routes.filter(
  ({ path, method }) => path === '/product-availability/order' && method === 'POST',
);

/** Texts that often break software. */
const nasty = [
  ...[
    '',
    ' ',
    '\0',
    '\ud800',
    '%',
    '%00',
    '%E0%A4%A',
    '../../etc/passwd',
    '..%2f',
    'a\r\nX-Bad: 1',
  ],
  ...[
    "' OR '1'='1",
    `'; DROP TABLE orders; --`,
    '"',
    '\\',
    '$1',
    '%s',
    '{{7*7}}',
    '${jndi:ldap://x}',
  ],
  ...['<script>alert(1)</script>', '\u001b[31m', '\u202e', 'ß', '\ud83d\ude00', '=1+1', 'null'],
  ...['__proto__', 'constructor', '1e999', '-1', '0', 'NaN', 'true', '[]', '{}', 'a'.repeat(2_100)],
  ...['EC2A 2BS', 'EC2A2BS', 'INT-1G-12', '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90', 'KA2XFV9V6Q'],
];

const anyText = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

const anyJson = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, true, 0, -1, 1e21, [], {}, [[]], [null]),
);

/** Valid or invalid by chance. */
function valueFor(schema: Schema | undefined): fc.Arbitrary<unknown> {
  if (!schema) return anyJson;
  if ('$ref' in schema) return valueFor(schemas[nameOf(schema)]);
  const { properties, allOf, oneOf, items } = schema;
  const example: unknown = schema.example;
  if (allOf?.[0]) return valueFor(allOf[0]);
  if (oneOf) return fc.oneof(...oneOf.map(valueFor));
  if (properties) {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        fc.option(valueFor(field), { nil: undefined, freq: 4 }),
      ]),
    );
    const extra = fc.dictionary(
      fc.constantFrom('x', 'id', 'clientId', 'state', 'isAdmin'),
      anyJson,
      {
        maxKeys: 1,
      },
    );
    return fc.oneof(
      { weight: 6, arbitrary: fc.record(fields) },
      {
        weight: 2,
        arbitrary: fc.tuple(fc.record(fields), extra).map(([a, b]) => ({ ...a, ...b })),
      },
      { weight: 1, arbitrary: anyJson },
    );
  }
  if (items) return fc.oneof(fc.array(valueFor(items), { maxLength: 4 }), anyJson);
  const shown = example === undefined ? [] : [fc.constant(example)];
  const listed = schema.enum ?? [];
  const wanted = [...shown, ...listed.map((value) => fc.constant(value as unknown))];
  return wanted.length > 0
    ? fc.oneof({ weight: 3, arbitrary: fc.oneof(...wanted) }, anyJson)
    : anyJson;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** A valid body for this catalogue; the document's examples name another one. */
const wish = '{"postcode":"EC2A 2BS","productCode":"INT-1G-12"}';

/** JSON texts that JSON.stringify never writes. */
const rawBodies = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '1e999',
  '{"a":1e999}',
  '{"postcode":"\\ud800"}',
].concat(
  '{"__proto__":{"x":1}}',
  '{"postcode":"EC2A 2BS","postcode":1}',
  '['.repeat(50) + ']'.repeat(50),
  '{"notes":"\\u0000"}',
  '\ufeff{}',
);

export interface Tried {
  readonly route: DescribedRoute;
  readonly request: RawRequest;
}

interface Tokens {
  readonly client: string;
  readonly other: string;
  readonly staff: string;
}

export function requestsTo({ client, other, staff }: Tokens): fc.Arbitrary<Tried> {
  return fc
    .oneof({ weight: 12, arbitrary: fc.constantFrom(...routes) }, fc.constantFrom(...orderRoutes))
    .chain((route) => {
      const { path, method, operation } = route;
      const scope = operation['x-required-scope'];
      const fitting = scope && holderOf(scope) === 'staff' ? staff : client;
      const parameters = (operation.parameters ?? []).flatMap((it) => ('in' in it ? [it] : []));
      const valueOf = (parameter: (typeof parameters)[number]) => {
        const ofSchema: unknown = (parameter.schema as SchemaObject | undefined)?.example;
        const shown: unknown = parameter.example ?? ofSchema;
        return shown === undefined
          ? anyText
          : fc.oneof(
              {
                weight: 2,
                arbitrary: fc.constant(typeof shown === 'string' ? shown : JSON.stringify(shown)),
              },
              anyText,
            );
      };
      const inPath = fc.tuple(...parameters.filter((it) => it.in === 'path').map(valueOf));
      const query = parameters.filter((it) => it.in === 'query');
      const inQuery = fc.tuple(...query.map((it) => fc.option(valueOf(it), { nil: undefined })));
      const body = operation.requestBody as
        | {
            content?: Record<
              string,
              { schema?: Schema; examples?: Record<string, { value?: unknown }> }
            >;
          }
        | undefined;
      const { schema, examples = {} } = Object.values(body?.content ?? {})[0] ?? {};
      const shown = Object.values(examples).map(({ value }) => JSON.stringify(value));
      const text = fc.oneof(
        { weight: 5, arbitrary: valueFor(schema).map((value) => JSON.stringify(value) ?? '') },
        { weight: 1, arbitrary: fc.constantFrom(...rawBodies) },
        { weight: 2, arbitrary: fc.constantFrom(wish, ...shown) },
      );
      return fc
        .record({
          inPath,
          inQuery,
          text: schema ? text : fc.constantFrom(undefined, undefined, undefined, '{}'),
          method: fc.oneof(
            { weight: 9, arbitrary: fc.constant(method) },
            { weight: 1, arbitrary: fc.constantFrom(...methods) },
          ),
          token: fc.oneof(
            { weight: 9, arbitrary: fc.constantFrom(fitting, fitting, fitting, other, staff) },
            { weight: 1, arbitrary: fc.constantFrom(undefined, 'x', `pas_live_${'A'.repeat(39)}`) },
          ),
          type: fc.constantFrom(
            ...Array<string>(8).fill('application/json'),
            'text/plain',
            'a',
            '',
          ),
          key: fc.option(fc.constantFrom('key-1', '"key-2"', 'a b', 'x'.repeat(300)), {
            nil: undefined,
          }),
          encode: fc.boolean(),
        })
        .map(({ inPath, inQuery, text, method, token, type, key, encode }): Tried => {
          const values = [...inPath];
          const filled = path.replaceAll(/\{\w+\}/g, () => inUrl(values.shift() ?? '', true));
          const search = query.flatMap(({ name }, i) => {
            const value = inQuery[i];
            return value === undefined ? [] : [`${name}=${inUrl(value, encode)}`];
          });
          return {
            route,
            request: {
              method,
              path: search.length > 0 ? `${filled}?${search.join('&')}` : filled,
              ...(token !== undefined && { token }),
              ...(text !== undefined && { body: text }),
              headers: {
                ...(text !== undefined && { 'Content-Type': type }),
                ...(key !== undefined && { 'Idempotency-Key': key }),
              },
            },
          };
        });
    });
}

/** Node's client refuses to send some characters. */
function inUrl(text: string, encode: boolean): string {
  if (encode) return encodeURIComponent(text.toWellFormed());
  return text.replaceAll(/[^!-~]|[#?]/g, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
}

/** What no answer may be like. The test's end also compares each with the description. */
function faultsOf({ status, headers, body }: Reply<unknown>): string[] {
  return [
    ...(status >= 500 ? [`status ${status}`] : []),
    ...(headers['x-request-id'] ? [] : ['no X-Request-Id']),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['no nosniff']),
    ...(/node_modules|SQLITE_|\\n\s+at |file:\/\/\/|SELECT |QueryFailed/.test(JSON.stringify(body))
      ? ['tells of its inside']
      : []),
  ];
}

/** The most failures to report. */
const MOST_FAULTS = 20;

/** Sends a number of requests, several at a time. @returns counts by status */
export async function fuzz(service: Service, count: number): Promise<Map<number, number>> {
  const { given, http } = service;
  await given.catalogue();
  const tokens = {
    client: await given.token(),
    other: await given.token(),
    staff: await given.staffToken(),
  };
  const tried = fc.sample(requestsTo(tokens), { numRuns: count });
  const statuses = new Map<number, number>();
  const found: string[] = [];
  let next = 0;
  const worker = async () => {
    for (let it = tried[next++]; it; it = tried[next++]) {
      const reply = await Promise.race([http.send(it.request), tooLong(it)]);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      const faults = faultsOf(reply);
      if (faults.length > 0) {
        const shown = JSON.stringify({ ...it.request, token: undefined }).slice(0, 1_000);
        found.push(`${faults.join('; ')}\n${shown}\n${JSON.stringify(reply.body)}`);
        if (found.length === MOST_FAULTS) break;
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  if (found.length > 0) throw new Error(found.join('\n\n'));
  return statuses;
}

function tooLong({ request }: Tried): Promise<never> {
  return new Promise((_resolve, reject) => {
    const error = new Error(`No answer to ${request.method} ${request.path.slice(0, 200)}`);
    setTimeout(() => reject(error), 20_000).unref();
  });
}
