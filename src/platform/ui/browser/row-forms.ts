import { discard, restore } from './drafts.js';
import { parsePage, make, fetchPage } from './page.js';
import { focusResult, say } from './say.js';

// Live updates from the server. A list updates the cells of its rows in place and offers a button
// that shows new rows. The page of an order says that it has changed, and who else is viewing it.

/** Milliseconds in which changes are collected. */
const GATHERING = 500;
/** Milliseconds between updates of relative times such as "due in 5 min". */
const REDRAWING = 60_000;
/** Milliseconds without input after which the stream closes, so that the session can expire. */
const IDLE = 20 * 60_000;

const list = document.getElementById('list');
const order = document.getElementById('order');
/** The list's own address: after a form, the address bar has that of the form. */
const address = list?.dataset.address ?? location.pathname;
let seen = Number(list?.dataset.live ?? '0');
let source: EventSource | undefined;
let timer: number | undefined;
let drawing: Promise<void> = Promise.resolve();
let lastTouch = performance.now();
let firstEntry: number | undefined;

function isIdle(): boolean {
  return performance.now() - lastTouch > IDLE;
}

function boxOf(element: Element): HTMLInputElement | null {
  return element.querySelector('input[name=order]');
}

/** Updates the cells. A focused or ticked element stays as it is. The order may have come back to the list. */
function redrawRow(row: HTMLTableRowElement, drawn: HTMLTableRowElement): void {
  row.classList.remove('gone');
  const ownBox = boxOf(row);
  if (ownBox) ownBox.disabled = false;
  [...row.cells].forEach((own, i) => {
    const next = drawn.cells[i];
    if (!next) return;
    const [box, nextBox] = [boxOf(own), boxOf(next)];
    if (box && nextBox) box.value = nextBox.value;
    // A row may have become one for several enquiries, which has no box, or no longer be one.
    const isBoxed = box !== null || nextBox !== null;
    const cell = isBoxed ? own.querySelector('time') : own;
    const source = isBoxed ? next.querySelector('time') : next;
    if (own.tagName === 'TH' || !cell || !source || cell.contains(document.activeElement)) return;
    if (cell.innerHTML !== source.innerHTML) cell.replaceChildren(...source.childNodes);
  });
}

/** The order has left the list. Its row stays until the list is reloaded, so that no row moves. */
function markGone(row: HTMLTableRowElement): void {
  if (row.classList.contains('gone')) return;
  row.classList.add('gone');
  const box = boxOf(row);
  if (box) {
    box.checked = false;
    box.disabled = true;
  }
  const next = row.querySelector('.next-cell');
  if (next) next.textContent = 'No longer in this list';
}

function redrawAround(drawn: Document): void {
  const heading = document.querySelector('main > h1');
  if (heading) heading.textContent = drawn.querySelector('h1')?.textContent ?? '';
  document.title = drawn.title;
  const drawnPlaces = drawn.querySelectorAll('.places .count');
  document.querySelectorAll('.places .count').forEach((count, i) => {
    if (drawnPlaces[i]) count.replaceWith(document.importNode(drawnPlaces[i], true));
  });
}

export async function redrawList(): Promise<void> {
  const drawn = await fetchPage(address);
  const drawnList = drawn?.getElementById('list');
  if (!drawn || !drawnList || !list) return;
  seen = Math.max(seen, Number(drawnList.dataset.live));
  redrawAround(drawn);
  const rows = list.querySelectorAll<HTMLTableRowElement>('tbody tr');
  for (const row of rows) {
    const next = drawnList.querySelector<HTMLTableRowElement>(`#${CSS.escape(row.id)}`);
    if (next) redrawRow(row, next);
    else markGone(row);
  }
  const present = new Set([...rows].map(({ id }) => id));
  const added = [...drawnList.querySelectorAll('tbody tr')].filter(({ id }) => !present.has(id));
  if (added.length > 0) offer(`${added.length} new, show`);
}

/** Shows a button that reloads the page: over a list, and in the first line of an order. */
function offer(text: string): void {
  let button = document.querySelector<HTMLButtonElement>('button.news');
  if (!button) {
    button = make('button', { type: 'button', className: 'news primary' });
    button.addEventListener('click', () => location.assign(address));
    (order?.querySelector('.standing') ?? document.querySelector('main'))?.append(' ', button);
  }
  if (button.textContent === text) return;
  button.textContent = text;
  say(text);
}

function redrawSoon(): void {
  // The random part keeps all screens from asking at once.
  const delay = GATHERING + Math.random() * GATHERING;
  timer ??= window.setTimeout(() => {
    timer = undefined;
    drawing = drawing.then(redrawList).catch(() => undefined);
  }, delay);
}

function onOrder({ data }: MessageEvent<string>): void {
  const { version, entry } = JSON.parse(data) as { version: number; entry: number };
  firstEntry ??= entry;
  const shown = Number(order?.dataset.version);
  if (version !== shown || entry !== firstEntry) void announceChange();
}

async function announceChange(): Promise<void> {
  // Without a connection the message has no details.
  const drawn = await fetchPage(address).catch(() => null);
  const last = drawn?.querySelector('.timeline li p')?.textContent;
  const kind = order?.dataset.order?.startsWith('ENQ') ? 'enquiry' : 'order';
  offer(`This ${kind} has changed. Show`);
  for (const one of order?.querySelectorAll<HTMLButtonElement>('.moves form button') ?? []) {
    one.disabled = true;
  }
  if (last) say(`This ${kind} has changed: ${last}`);
}

function onViewers({ data }: MessageEvent<string>): void {
  const names = JSON.parse(data) as string[];
  const line = document.getElementById('viewers');
  if (!line) return;
  const who = new Intl.ListFormat('en-GB').format(names);
  const text = who && `${who} ${names.length > 1 ? 'are' : 'is'} viewing this.`;
  if (line.textContent !== text) line.textContent = text;
}

function listen(): void {
  if (source || document.hidden || isIdle()) return;
  const query = order ? `?order=${encodeURIComponent(order.dataset.order ?? '')}` : '';
  source = new EventSource(`/staff/changes${query}`);
  if (list) {
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
      const { number } = JSON.parse(data) as { number: number };
      if (number > seen) redrawSoon();
    });
  }
  if (order) {
    source.addEventListener('order', onOrder);
    source.addEventListener('viewers', onViewers);
  }
}

function stopListening(): void {
  source?.close();
  source = undefined;
}

function touched(): void {
  const wasIdle = isIdle();
  lastTouch = performance.now();
  if (wasIdle) listen();
}

if (list || order) {
  listen();
  for (const kind of ['pointerdown', 'pointermove', 'keydown', 'scroll']) {
    document.addEventListener(kind, touched, { passive: true });
  }
  // A hidden page closes its connection: a browser has six for all pages of a server.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) stopListening();
    else {
      listen();
      if (list) redrawSoon();
    }
  });
  window.addEventListener('pagehide', stopListening);
  window.addEventListener('pageshow', listen);
  setInterval(() => {
    if (isIdle()) stopListening();
    else if (list && !document.hidden) redrawSoon();
  }, REDRAWING);
}

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
