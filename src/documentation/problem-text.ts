import {
  exampleOfProblem,
  type ProblemCode,
  problemTypes,
} from '../platform/problems/problem-types.js';
import type { Audience } from './layout.js';

const ofStaff: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'missing-session',
  'insufficient-role',
  'not-permitted',
  'client-changed',
  'client-name-taken',
  'version-state',
  'import-running',
  'guard-rail',
  'catalogue-rejected',
  'unknown-person',
  'search-too-broad',
]);

export const problemCodes = Object.keys(problemTypes) as readonly ProblemCode[];

function codesFor(audience: Audience): ProblemCode[] {
  return problemCodes.filter((code) => ofStaff.has(code) === (audience === 'staff'));
}

/** An example of the problem, as it is written where the service runs on localhost. */
function exampleOf(code: ProblemCode): string {
  const { title, status } = problemTypes[code];
  const { detail, ...members } = exampleOfProblem(code);
  const type = `http://localhost:3000/problems/${code}`;
  const instance = 'urn:uuid:5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21';
  const body = { type, title, status, detail, instance, code, ...members };
  return `For example:\n\n\`\`\`json answer\n${JSON.stringify(body, null, 2)}\n\`\`\`\n`;
}

/**
 * The explanation of a problem as Markdown, for the list and its own page.
 *
 * @param more the example, if there is a file with a command and its answer
 */
export function problemText(code: ProblemCode, more = exampleOf(code)): string {
  const { status, cause, cure } = problemTypes[code];
  return `\`${code}\`, HTTP status ${status}

**Why it happens.** ${cause}

**What to do.** ${cure}

${more}`;
}

/** The problems as sections of a page. */
export function problemList(
  audience: Audience,
  more: (code: ProblemCode) => string | undefined,
): string {
  return codesFor(audience)
    .map(
      (code) => `### ${code}\n\n**${problemTypes[code].title}.** ${problemText(code, more(code))}`,
    )
    .join('\n');
}

/** The list of all problems, as Markdown. */
export function problemIndex(): string {
  const rows = (audience: Audience) =>
    codesFor(audience).map((code) => {
      const { status, title } = problemTypes[code];
      return `- [${code}](/problems/${code}) (${status}): ${title}\n`;
    });
  return `# Problems

Every error is \`application/problem+json\`; its \`type\` links to one of these pages. [Error format](errors.md).

## Problems for API clients

${rows('clients').join('')}
## Problems for the operator's staff only

${rows('staff').join('')}`;
}

export function asJson(code: ProblemCode) {
  const { status, title, cause, cure } = problemTypes[code];
  const explained = { code, status, title, cause, cure, example: exampleOfProblem(code) };
  return { type: 'application/json', text: JSON.stringify(explained) };
}
