import type { ExampleObject, ResponseObject } from '@nestjs/swagger';
import { exampleOf, type Schema, type Schemas } from './description-schemas.js';
import { exampleOfProblem, type ProblemCode, problemTypes } from '../problems/problem-types.js';
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

/** Problems of many operations; an operation lists its own in `@throws`. */
const shared: readonly { codes: readonly ProblemCode[]; when: (it: Operation) => boolean }[] = [
  { codes: ['malformed-request', 'internal-error'], when: () => true },
  {
    codes: ['missing-token', 'invalid-token', 'insufficient-scope', 'unavailable'],
    when: isSecured,
  },
  // Failed tokens have a limit for each IP address.
  { codes: ['rate-limited'], when: isSecured },
  { codes: ['validation-error'], when: takesQuery },
  {
    codes: ['validation-error', 'content-too-large', 'unsupported-media-type'],
    when: ({ requestBody }) => requestBody !== undefined,
  },
];

const isCode = (text: string): text is ProblemCode => Object.hasOwn(problemTypes, text);

/** By status: the shared problems, and those of `@throws {status} code, code`. */
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

/** Such as MalformedRequestOrInvalidPostcode. Has the caller too: only API clients receive limits. */
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

/** An example of each problem of the operations, by code. */
export function problemExamples(
  operations: readonly Operation[],
  schemas: Schemas,
  publicUrl: string,
): Record<string, ExampleObject> {
  const answered = new Set(operations.flatMap((it) => [...problemsOf(it).values()].flat()));
  return Object.fromEntries(
    [...answered].sort().map((code) => {
      const { title, status } = problemTypes[code];
      const schema = referTo(schemaName(code, schemas));
      const members = exampleOf(schema, schemas) as object;
      const type = `${publicUrl}/problems/${code}`;
      const value = { ...members, type, title, status, code, ...exampleOfProblem(code) };
      return [code, { summary: title, value }];
    }),
  );
}
