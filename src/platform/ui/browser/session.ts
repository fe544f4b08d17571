import { make } from './page.js';
import { say } from './say.js';

// Says five minutes before the session ends that it ends, with a button that extends it. Typing extends it, too.

/** As `SessionTime` of the service, in seconds. */
interface LeftTime {
  readonly left: number;
  readonly atMost: number;
}

/** Seconds before the end of the session. */
const NOTICE = 300;
/** Seconds between checks while the notice is shown: the session may be extended in another tab. */
const RECHECK = 60;
/** Seconds from the last extension on, after which typing extends the session. */
const TYPING = 300;

const KEPT = 'Text that you have typed is kept.';

const atFirst = document.body.dataset.session;
let timer: number | undefined;
let extendedAt = performance.now();
let checkedAt = extendedAt;

const secondsSince = (at: number) => (performance.now() - at) / 1_000;
const shown = () => document.querySelector<HTMLElement>('.session-end');

async function request(method: 'GET' | 'POST'): Promise<void> {
  checkedAt = performance.now();
  if (method === 'POST') extendedAt = checkedAt;
  const response = await fetch('/staff/session', {
    method,
    headers: { Accept: 'application/json' },
  });
  if (response.status === 401) showEnd();
  else if (response.ok) act((await response.json()) as LeftTime);
  else throw new Error(`The session could not be checked: ${response.status}.`);
}

function checkIn(seconds: number): void {
  clearTimeout(timer);
  timer = window.setTimeout(check, seconds * 1_000);
}

function check(): void {
  request('GET').catch(() => checkIn(RECHECK));
}

function extend(): void {
  request('POST').catch(() => checkIn(RECHECK));
}

function act({ left, atMost }: LeftTime): void {
  if (left > NOTICE) {
    shown()?.remove();
    return checkIn(left - NOTICE);
  }
  const minutes = Math.max(Math.ceil(left / 60), 1);
  const when = `You will be signed out in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  if (atMost > NOTICE) show('ends', `${when}.`, stayButton);
  else show('ends at last', `${when}, 12 hours after you signed in. ${KEPT}`);
  checkIn(Math.min(RECHECK, left + 1));
}

function showEnd(): void {
  clearTimeout(timer);
  show('has ended', `You were signed out. ${KEPT}`, signInLink);
}

function stayButton(): HTMLElement {
  const key = make('kbd', { textContent: 'y', ariaHidden: 'true' });
  const button = make(
    'button',
    { type: 'button', className: 'primary', ariaKeyShortcuts: 'y' },
    'Stay signed in ',
    key,
  );
  button.dataset.key = 'y';
  button.addEventListener('click', extend);
  return button;
}

function signInLink(): HTMLElement {
  const next = encodeURIComponent(location.pathname + location.search);
  const href = `/staff/sign-in?next=${next}`;
  return make('a', { className: 'button', href, textContent: 'Sign in' });
}

/** Shows the text in the notice of this kind, which is read out when it appears. */
function show(kind: string, text: string, action?: () => HTMLElement): void {
  // While a dialog is open, nothing outside of it can be used.
  const dialog = document.querySelector('dialog[open]');
  const place = dialog ?? document.body;
  const earlier = shown();
  const line = earlier?.querySelector('p');
  if (earlier?.dataset.kind === kind && earlier.parentElement === place && line) {
    line.textContent = text;
    return;
  }
  earlier?.remove();
  const notice = make(
    'section',
    { className: 'session-end notice soon', ariaLabel: 'Session' },
    make('p', { textContent: text }),
    ...(action ? [action()] : []),
  );
  notice.dataset.kind = kind;
  place.append(notice);
  dialog?.addEventListener('close', () => {
    if (notice.parentElement === dialog) document.body.append(notice);
  });
  say(text);
}

if (atFirst !== undefined) {
  act(JSON.parse(atFirst) as LeftTime);
  document.addEventListener('input', () => {
    if (secondsSince(extendedAt) > TYPING) extend();
  });
  const checkAgain = () => {
    if (!document.hidden && secondsSince(checkedAt) > RECHECK) check();
  };
  document.addEventListener('visibilitychange', checkAgain);
  window.addEventListener('pageshow', checkAgain);
}
