import { redrawList } from './live.js';
import { parsePage } from './page.js';
import { say } from './say.js';

// The forms that keys open on a row of a list. They are sent without leaving the list: a refused form is
// shown again with what was typed, and after a move the row is drawn again.

function isRowForm(form: HTMLFormElement): boolean {
  if (!document.querySelector('form.list') || !form.closest('dialog')) return false;
  return new URL(form.action).pathname.startsWith('/staff/orders/');
}

async function send(form: HTMLFormElement, button: HTMLElement | null): Promise<void> {
  const dialog = form.closest('dialog')!;
  const fields = new FormData(form, button);
  const response = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams([...fields].map(([name, value]) => [name, String(value)])),
    headers: { Accept: 'text/html' },
  });
  const drawn = await parsePage(response);
  if (!response.redirected) return showAgain(dialog, form, drawn);
  dialog.close();
  const flash = drawn.querySelector<HTMLElement>('[data-said]');
  if (flash) showFlash(flash);
  await redrawList();
}

/** A refused form, with its faults. Where there is none, such as after the session, the browser sends it. */
function showAgain(dialog: HTMLDialogElement, form: HTMLFormElement, drawn: Document): void {
  const next = drawn.querySelector('[data-dialog-form]');
  if (!next) return form.submit();
  const heading = dialog.querySelector('h2') ?? '';
  const faults = drawn.querySelectorAll('main > [data-focus]:not([data-said])');
  const parts = [...faults, next].map((part) => document.importNode(part, true));
  dialog.replaceChildren(heading, ...parts);
  dialog.querySelector<HTMLElement>('[data-focus]')?.focus();
}

/** The message of the move, above the list. */
function showFlash(flash: HTMLElement): void {
  document.querySelector('main > [data-said]')?.remove();
  document.querySelector('main > h1')?.after(document.importNode(flash, true));
  say(flash.querySelector('.notice-title')?.textContent ?? '');
}

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (event.defaultPrevented || !isRowForm(form)) return;
  event.preventDefault();
  // Without an answer the form is sent as without scripts, so that the browser says what is wrong.
  send(form, event.submitter).catch(() => form.submit());
});
