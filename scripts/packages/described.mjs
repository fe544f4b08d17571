/** What the generators of the packages read from the description. */

const KEY = 'Idempotency-Key';
/** A second request of these would have another effect. */
const ONCE = /^(?:copy|advance)/;

const resolve = (document, value) =>
  value?.$ref
    ? value.$ref
        .split('/')
        .slice(1)
        .reduce((part, name) => part[name], document)
    : value;

/** The name of the schema that a reference leads to. */
export const nameOf = ($ref) => $ref.split('/').at(-1);

/** `updatedSince` of `updatedSince` or `Updated-Since`. */
const identifierOf = (name) =>
  name
    .replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase())
    .replace(/^./, (letter) => letter.toLowerCase());

/** Each operation with its parameters and answers. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).map((one) => resolve(document, one));
      const body = resolve(document, operation.requestBody);
      const answer = Object.entries(operation.responses).find(([status]) => status < '300')[1];
      const answers = resolve(document, answer).content ?? {};
      const isKeyed = parameters.some(({ name }) => name === KEY);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        doc: [operation.summary, operation.description].join('. ').replaceAll(/\s+/g, ' '),
        parameters: parameters
          .filter(({ name }) => name !== KEY)
          .map((one) => ({ ...one, identifier: identifierOf(one.name) })),
        isKeyed,
        isOnce: method === 'post' && !isKeyed && ONCE.test(operation.operationId),
        body: body && {
          schema: body.content['application/json']?.schema,
          required: body.required === true,
        },
        takesCsv: body?.content['text/csv'] !== undefined,
        json: answers['application/json']?.schema,
        /** Media types apart from JSON. */
        others: Object.keys(answers).filter((type) => type !== 'application/json'),
      };
    }),
  );
}

/** The names of the schemas of webhook messages. */
export function messagesOf(document) {
  const { post } = document['x-webhooks'].message;
  return post.requestBody.content['application/json'].schema.oneOf.map(({ $ref }) => nameOf($ref));
}
