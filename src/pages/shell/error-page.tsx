import type { Request } from 'express';
import type { Caller } from '../../access/caller.js';
import type { Problem } from '../../problems/problem.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { Layout } from './layout.js';
import { page } from './render.js';

/**
 * A problem as a page, where a browser asked for one of the staff's pages; null elsewhere, and where
 * a script asked.
 */
export function errorPage(problem: Problem, request: Request): WrittenHtml | null {
  if (!/^\/staff(?:\/|$)/i.test(request.path)) return null;
  if (!request.accepts(['json', 'html']).toString().startsWith('html')) return null;
  const caller = request.user as Caller | undefined;
  const viewer = caller?.kind === 'staff' ? caller : undefined;
  return page(
    <Layout title={titleOf(problem)} viewer={viewer} width="narrow">
      <p class="lead">{problem.detail}</p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ detail }) => (
            <li>{detail}</li>
          ))}
        </ul>
      )}
      <p>{adviceOf(problem)}</p>
      <p class="actions">
        <a class="button" href="/staff">
          {viewer ? 'Go to the queue' : problem.status === 401 ? 'Sign in' : 'Go to the start'}
        </a>
      </p>
      <p class="hint support">
        {`If you ask for help, name this: ${problem.status} ${problem.code}, request `}
        <code>{request.id}</code>
      </p>
    </Layout>,
    problem.status,
  );
}

const titles: Readonly<Record<number, string>> = {
  400: 'This could not be read',
  401: 'Your session has ended',
  403: 'You may not do this',
  404: 'Not found',
  409: 'Somebody was first',
  413: 'This is too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available at the moment',
};

function titleOf({ status, title }: Problem): string {
  return titles[status] ?? title;
}

function adviceOf({ status, headers }: Problem): string {
  const wait = waitOf(headers['Retry-After']);
  switch (status) {
    case 401:
      return 'Sign in again; then go back in the browser: what you typed is still there.';
    case 403:
      return 'If your work needs it, ask an administrator for the role.';
    case 404:
      return 'The address may be mistyped, or what was here has been removed.';
    case 409:
      return 'Nothing of yours was changed. Go back, reload the page, and look at how it stands now.';
    case 429:
      return `Wait ${wait ?? 'a minute'}, then try again.`;
    case 503:
      return `Nothing that was confirmed is lost. Try again in ${wait ?? 'a moment'}.`;
    default:
      return status < 500
        ? 'Go back, mend it and send it again.'
        : 'Nothing you did caused it. Try again; if it stays, tell support the number below.';
  }
}

/** Seconds as "5 seconds" or "2 minutes"; null where none are named. */
function waitOf(retryAfter: string | undefined): string | null {
  const seconds = Number(retryAfter);
  if (!Number.isInteger(seconds) || seconds < 1) return null;
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
