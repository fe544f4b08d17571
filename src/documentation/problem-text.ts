import { type ProblemCode, problemTypes } from '../problems/problem-types.js';

/** Who can meet a problem. */
export type Audience = 'clients' | 'staff';

const ofStaff: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'missing-session',
  'insufficient-role',
  'cross-site-request',
  'not-permitted',
  'version-state',
  'guard-rail',
  'catalogue-rejected',
  'unknown-person',
  'search-too-broad',
]);

export const problemCodes = Object.keys(problemTypes) as readonly ProblemCode[];

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemTypes, text);
}

export function codesFor(audience: Audience): ProblemCode[] {
  return problemCodes.filter((code) => ofStaff.has(code) === (audience === 'staff'));
}

/** The explanation of a problem as Markdown, for the list and its own page. */
export function problemText(code: ProblemCode, more = ''): string {
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
