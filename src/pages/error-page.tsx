import type { Request } from 'express';
import type { Caller } from '../common/caller.js';
import type { Problem } from '../common/problem.js';
import type { WrittenHtml } from '../common/written-html.js';
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
    <Layout title={titles[problem.status] ?? problem.title} viewer={viewer} width="narrow">
      <p class="lead">{problem.detail}</p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ detail }) => (
            <li>{detail}</li>
          ))}
        </ul>
      )}
      <p>{advice[problem.status] ?? advice[problem.status < 500 ? 400 : 500]}</p>
      <p>
        <a href="/staff">Go to the queue</a>
      </p>
      <p class="hint">
        {`For support: ${problem.code}, request `}
        <code>{request.id}</code>
      </p>
    </Layout>,
    problem.status,
  );
}

const titles: Readonly<Record<number, string>> = {
  400: 'This did not work',
  401: 'Your session has ended',
  403: 'This is not for you to do',
  404: 'There is nothing here',
  409: 'Somebody was first',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'The service is resting',
};

const advice: Readonly<Record<number, string>> = {
  400: 'Go back, mend it and send it again.',
  401: 'Sign in again; then go back in the browser: what you typed is still there.',
  403: 'If it should be, ask an administrator for the role.',
  404: 'The address may be mistyped, or what was here has been removed.',
  409: 'Nothing of yours was changed. Go back, reload, and look at how it stands now.',
  429: 'Wait a minute, then try again.',
  500: 'Nothing you did caused it. Try again; if it stays, tell support the number below.',
  503: 'Nothing is lost. Try again in a moment.',
};
