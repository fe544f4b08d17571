import { discard, restore } from './drafts.js';
import { redrawList } from './live.js';
import { make } from './make.js';
import { parsePage } from './page.js';
import { focusResult, say } from './say.js';

// Undo: the offer counts down, and goes when its time is over. The service refuses it then anyway.
function limitUndo(notice: HTMLElement): void {
  const end = performance.now() + Number(notice.dataset.undo) * 1_000;
  const left = make('span', { className: 'muted', ariaHidden: 'true' });
  notice.append(' ', left);
  const tick = () => {
    const seconds = Math.ceil((end - performance.now()) / 1_000);
    left.textContent = `${seconds} s`;
    if (seconds > 0) return;
    clearInterval(timer);
    const later = document.querySelectorAll<HTMLElement>('[data-later]');
    for (const part of later) part.textContent = part.dataset.later!;
    const [, order] = /^(\/staff\/orders\/[^/]+)/.exec(formOf(notice)) ?? [];
    if (notice.dataset.receipt !== undefined) {
      left.remove();
      notice.querySelector('form')?.remove();
      return;
    }
    if (order !== undefined && later.length === 0) {
      const link = make('a', { href: order }, 'Reopen it on its page');
      notice.before(make('p', { className: 'hint' }, 'It is too late to undo this. ', link, '.'));
    }
    if (!notice.contains(document.activeElement)) notice.remove();
    else notice.querySelector('button')?.setAttribute('disabled', '');
  };
  const timer = setInterval(tick, 1_000);
  tick();
}

const formOf = (notice: HTMLElement) => notice.querySelector('form')?.getAttribute('action') ?? '';

const shown = document.querySelector<HTMLElement>('[data-undo]');
if (shown) limitUndo(shown);

// The forms that keys open on a row of a list, and the undo of their moves. They are sent without leaving the
// list: a refused form is shown again with what was typed, and after a move the row is drawn again.

function isRowForm(form: HTMLFormElement): boolean {
  if (!document.querySelector('form.list') || !form.closest('dialog, [data-undo]')) return false;
  return new URL(form.action).pathname.startsWith('/staff/orders/');
}

async function send(form: HTMLFormElement, button: HTMLElement | null): Promise<void> {
  const dialog = form.closest('dialog');
  const fields = new FormData(form, button);
  const response = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams(
      [...fields].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
    ),
    headers: { Accept: 'text/html' },
  });
  const drawn = await parsePage(response);
  if (!response.redirected) return dialog ? showAgain(dialog, form, drawn) : form.submit();
  discard(form);
  dialog?.close();
  showMessages(drawn);
  await redrawList();
}

/** The refused form with its faults. An answer without them, such as the sign-in, is left to the browser. */
function showAgain(dialog: HTMLDialogElement, form: HTMLFormElement, drawn: Document): void {
  const forms = [...drawn.querySelectorAll<HTMLFormElement>('main form')];
  const action = form.getAttribute('action');
  const next =
    forms.find((one) => one.getAttribute('action') === action) ??
    forms.find((one) => one.matches('[data-dialog-form]'));
  const faults = [...drawn.querySelectorAll('main [data-focus]:not([data-said])')];
  if (!next && faults.length === 0) return form.submit();
  for (const old of dialog.querySelectorAll('[data-focus]')) old.remove();
  const parts = [...faults, ...(next ? [next] : [])];
  form.replaceWith(...parts.map((part) => document.importNode(part, true)));
  dialog.querySelectorAll<HTMLFormElement>('form[data-draft]').forEach(restore);
  focusResult(dialog);
}

/** The message of the move and the offer to undo it, above the list. */
function showMessages(drawn: Document): void {
  for (const old of document.querySelectorAll('main > :is([data-said], [data-undo])')) old.remove();
  const parts = drawn.querySelectorAll<HTMLElement>('main > :is([data-said], [data-undo])');
  const shown = [...parts].map((part) => document.importNode(part, true));
  document.querySelector('main > h1')?.after(...shown);
  const offer = document.querySelector<HTMLElement>('main > [data-undo], main > * > [data-undo]');
  if (offer) limitUndo(offer);
  say(drawn.querySelector('[data-said] .notice-title')?.textContent ?? '');
}

// Pressed twice, a button that takes the next order would take two, and show only the second.
let isTaking = false;
addEventListener('pagehide', () => (isTaking = false));
document.addEventListener(
  'submit',
  (event) => {
    const isPanel = event.submitter?.matches('[data-then-next]');
    const action = (event.target as HTMLFormElement).getAttribute('action');
    if (!isPanel && action !== '/staff/take-next') return;
    if (isTaking) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return say('The next order is on its way.');
    }
    isTaking = true;
    // No page comes if the member stops the browser, or opens the answer in another tab.
    setTimeout(() => (isTaking = false), 10_000);
  },
  { capture: true },
);

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (event.defaultPrevented || !isRowForm(form)) return;
  // It leads to another order.
  if (event.submitter?.matches('[data-then-next]')) return;
  event.preventDefault();
  // Without an answer the form is sent as without scripts, so that the browser says what is wrong.
  send(form, event.submitter).catch(() => form.submit());
});
