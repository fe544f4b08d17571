import type { Request } from 'express';
import type { Caller, StaffCaller } from '../access/caller.js';
import type { Problem } from '../problems/problem.js';
import type { ErrorPage } from '../http/problem.filter.js';
import { Layout } from './layout.js';
import type { PlaceCounter } from './navigation.js';
import { DrawnPage } from './render.js';
import { counted } from '../kernel/counts.js';

/**
 * A problem as a page, for a browser on the staff pages; null for scripts and other addresses.
 * @param viewerOf who is signed in, where no handler has the address and so no guard has looked
 */
export function errorPages(
  viewerOf: (request: Request) => Promise<StaffCaller | undefined>,
  counter: PlaceCounter,
): ErrorPage {
  const write = async (problem: Problem, request: Request) => {
    const caller = request.user as Caller | undefined;
    const known = caller?.kind === 'staff' ? caller : undefined;
    // The database may be the problem.
    if (problem.status >= 500) return errorPage(problem, request, known);
    const viewer = known ?? (problem.status === 404 ? await viewerOf(request) : undefined);
    const drawn = errorPage(problem, request, viewer);
    return viewer ? drawn.withCounts(await counter.ofViews(viewer)) : drawn;
  };
  return (problem, request) => {
    if (!/^\/staff(?:\/|$)/i.test(request.path)) return null;
    if (!request.accepts(['json', 'html']).toString().startsWith('html')) return null;
    return write(problem, request).catch(() => errorPage(problem, request));
  };
}

function errorPage(problem: Problem, request: Request, viewer?: StaffCaller): DrawnPage {
  const [title, advice] = wordsOf(problem, request);
  return new DrawnPage(
    <Layout title={title} viewer={viewer} width="narrow">
      {problem.status !== 405 && <p class="lead">{problem.detail}</p>}
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ detail }) => (
            <li>{detail}</li>
          ))}
        </ul>
      )}
      <p>{advice}</p>
      <p class="actions">
        <a class="button" href={problem.status === 401 ? signIn(request) : '/staff'}>
          {viewer ? 'Go to the queue' : problem.status === 401 ? 'Sign in' : 'Go to the home page'}
        </a>
      </p>
      <p class="hint support">
        {`Reference for support: ${problem.status} ${problem.code}, request `}
        <code>{request.id}</code>
      </p>
    </Layout>,
    problem.status,
  );
}

/** Leads back to a form with a draft, where a script then sends again what it has kept. */
function signIn(request: Request): string {
  const form = formWithDraft(request);
  if (form === null) return '/staff';
  const next = `${form}${form.includes('?') ? '&' : '?'}resend`;
  return `/staff/sign-in?next=${encodeURIComponent(next)}`;
}

/** The page of the form that is posted to this address; null if a script keeps no draft of it. */
function formWithDraft({ method, originalUrl: address }: Request): string | null {
  if (method !== 'POST') return null;
  if (address === '/staff/clients' || address === '/staff/quotes') return `${address}/new`;
  const [answers] = /^\/staff\/quotes\/[\w-]+\/(?=answer$)/.exec(address) ?? [];
  if (answers) return `${answers}enquiries`;
  const forms =
    /^\/staff\/(?:(?:orders|check)\/[\w-]+\/|clients\/[\w-]+\/edit$|approvals$|catalogue\/adjust(?:\?|$))/;
  return forms.test(address) ? address : null;
}

/** What happened, and what to do. */
function wordsOf(
  { status, title, headers }: Problem,
  request: Request,
): readonly [title: string, advice: string] {
  const wait = waitOf(headers['Retry-After']);
  const correct = 'Go back, correct it and send it again.';
  const retry =
    'You did not cause this. Try again; if it persists, give support the reference below.';
  const words: Readonly<Record<number, readonly [string, string]>> = {
    400: ['Invalid request', correct],
    401: ['Your session has ended', `Sign in again. ${keptOrNot(request)}`],
    403: ["You don't have permission", 'Ask an administrator for access.'],
    404: ['Not found', 'The address may be mistyped, or the page has been removed.'],
    405: ['This address only receives forms', 'Go back to the page that has the form.'],
    409: [
      'Someone else was first',
      'Your changes were not saved. Go back, reload the page and check what has changed.',
    ],
    413: ['This is too large', correct],
    429: ['Too many requests', `Wait ${wait ?? 'a minute'}, then try again.`],
    500: ['Something went wrong', retry],
    503: wait
      ? ['Temporarily unavailable', `Confirmed changes are safe. Try again in ${wait}.`]
      : ['Not available', 'Trying again does not help until this is corrected.'],
  };
  return words[status] ?? [title, status < 500 ? correct : retry];
}

/** What became of a form that was sent after the end of the session. */
function keptOrNot(request: Request): string {
  if (formWithDraft(request) !== null) return 'Your browser has kept what you typed.';
  return request.method === 'POST' ? 'What you sent was not saved.' : '';
}

/** "5 seconds" or "2 minutes"; null without a number of seconds. */
function waitOf(retryAfter: string | undefined): string | null {
  const seconds = Number(retryAfter);
  if (!Number.isInteger(seconds) || seconds < 1) return null;
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return counted(count, unit);
}
