import { type ProblemCode, problemTypes } from '../problems/problem-types.js';

/** Whom a problem concerns: who reads the list of one's own does not need the other. */
export type Audience = 'clients' | 'staff';

/** Problems that only staff can meet. */
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

/** What there is to say about one problem, as Markdown: the same in the list and on its own page. */
export function problemText(code: ProblemCode, more = ''): string {
  const { status, cause, cure } = problemTypes[code];
  return `\`${code}\`, HTTP status ${status}

**Why it happens.** ${cause}

**What to do.** ${cure}

${more}`;
}

/** The problems one after the other, as sections of a page. */
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
