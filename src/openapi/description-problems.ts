import type { ExampleObject, ResponseObject } from '@nestjs/swagger';
import { exampleOf, type Schema, type Schemas } from './description-schemas.js';
import { type ProblemCode, problemTypes } from '../problems/problem-types.js';
import { holderOf, type Scope } from '../access/scopes.js';
import type { DeclaredOperation } from '../http/described.js';

export type Operation = DeclaredOperation & { readonly 'x-required-scope'?: Scope | 'client' };

const isSecured = (operation: Operation) => operation['x-required-scope'] !== undefined;

/** Limits are for API clients only. */
export function isLimited({ 'x-required-scope': scope }: Operation): boolean {
  return scope !== undefined && holderOf(scope) === 'client';
}

function takesQuery({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => 'in' in parameter && parameter.in === 'query');
}

/** Problems that many operations share; an operation lists its own in its `@throws`. */
const shared: readonly { codes: readonly ProblemCode[]; when: (it: Operation) => boolean }[] = [
  { codes: ['malformed-request', 'internal-error'], when: () => true },
  {
    codes: ['missing-token', 'invalid-token', 'insufficient-scope', 'unavailable'],
    when: isSecured,
  },
  // Failed tokens are limited for each address.
  { codes: ['rate-limited'], when: isSecured },
  { codes: ['validation-error'], when: takesQuery },
  {
    codes: ['validation-error', 'content-too-large', 'unsupported-media-type'],
    when: ({ requestBody }) => requestBody !== undefined,
  },
];

const isCode = (text: string): text is ProblemCode => Object.hasOwn(problemTypes, text);

/** The problems of an operation by status, from `@throws {status} code, code` and what is shared. */
export function problemsOf(operation: Operation): Map<number, ProblemCode[]> {
  const own = Object.entries(operation.responses).flatMap(([status, response]) =>
    Number(status) >= 400 && response && 'description' in response
      ? response.description.split(', ').map((code) => ownProblem(code, Number(status), operation))
      : [],
  );
  const codes = shared.flatMap(({ codes, when }) => (when(operation) ? codes : [])).concat(own);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of Object.keys(problemTypes).filter(isCode)) {
    const { status } = problemTypes[code];
    if (codes.includes(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function ownProblem(code: string, status: number, operation: Operation): ProblemCode {
  if (isCode(code) && problemTypes[code].status === status) return code;
  throw new Error(`${operation.operationId}: no problem of status ${status} is called "${code}".`);
}

export function problemResponse(codes: readonly ProblemCode[], schemas: Schemas): ResponseObject {
  const [first] = codes;
  const example = (code: ProblemCode) => [code, { $ref: `#/components/examples/${code}` }];
  return {
    description:
      codes.length === 1 && first
        ? explain(first)
        : codes.map((code) => `- \`${code}\`: ${explain(code)}`).join('\n'),
    content: {
      'application/problem+json': {
        schema: anyOf(codes.map((code) => schemaName(code, schemas))),
        examples: Object.fromEntries(codes.map(example)) as Record<string, ExampleObject>,
      },
    },
  };
}

function explain(code: ProblemCode): string {
  const { cause, cure } = problemTypes[code];
  return `${cause} ${cure}`;
}

const GENERAL = 'Problem';
const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `offer-changed` becomes OfferChanged. */
const inOneWord = (code: ProblemCode) =>
  code.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The name of a response among the shared ones, such as MalformedRequestOrInvalidPostcode. It depends
 * on who calls, too: only answers to API clients carry the headers of limits.
 */
export function responseName(codes: readonly ProblemCode[], operation: Operation): string {
  const { 'x-required-scope': scope } = operation;
  const caller = scope === undefined ? 'Public' : holderOf(scope) === 'staff' ? 'Staff' : '';
  return `${caller}${codes.map(inOneWord).join('Or')}`;
}

/** The schema of a problem with further members, such as OfferChangedProblem; otherwise Problem. */
function schemaName(code: ProblemCode, schemas: Schemas): string {
  const own = `${inOneWord(code)}Problem`;
  return own in schemas ? own : GENERAL;
}

/** `Problem` comes last: it fits every body, and some generated clients take the first fit. */
function anyOf(names: readonly string[]): Schema {
  const special = [...new Set(names)].filter((name) => name !== GENERAL);
  const references = (names.includes(GENERAL) ? [...special, GENERAL] : special).map(referTo);
  return references.length === 1 && references[0] ? references[0] : { anyOf: references };
}

/** A body of each problem that one of the operations can answer, by code. */
export function problemExamples(
  operations: readonly Operation[],
  schemas: Schemas,
  publicUrl: string,
): Record<string, ExampleObject> {
  const answered = new Set(operations.flatMap((it) => [...problemsOf(it).values()].flat()));
  return Object.fromEntries(
    [...answered].sort().map((code) => {
      const { title, status, cause } = problemTypes[code];
      const schema = referTo(schemaName(code, schemas));
      const members = exampleOf(schema, schemas) as object;
      const type = `${publicUrl}/problems/${code}`;
      const value = { ...members, type, title, status, detail: cause, code };
      return [code, { summary: title, value }];
    }),
  );
}
