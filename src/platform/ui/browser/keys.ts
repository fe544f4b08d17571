import { say } from './say.js';

// A list: selection by boxes, Shift+click and the key x, and the focus on the row that the user left.
const form = document.querySelector<HTMLFormElement>('form.list');
const all = form?.querySelector<HTMLInputElement>('input[data-all]');
const none = form?.querySelector<HTMLButtonElement>('button[data-select-none]');
const selected = form?.querySelector<HTMLElement>('[data-selected]');
/** The box that was last changed, where a range starts. */
let anchor: HTMLInputElement | undefined;

function boxes(): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('tbody input[name=order]') ?? [])];
}

/** Shows how many rows are selected. */
function count(): void {
  const ticked = boxes().filter(({ checked }) => checked).length;
  if (all) {
    all.checked = ticked > 0 && ticked === boxes().length;
    all.indeterminate = ticked > 0 && !all.checked;
  }
  const text = `${ticked} selected`;
  if (!selected || selected.textContent === text) return;
  selected.textContent = text;
  say(text);
}

function tick(box: HTMLInputElement, checked: boolean): void {
  if (!box.disabled) box.checked = checked;
}

/** Gives the rows between the anchor and this box its state. */
function tickRange(box: HTMLInputElement): void {
  const list = boxes();
  const [from = 0, to = 0] = [list.indexOf(anchor ?? box), list.indexOf(box)].sort((a, b) => a - b);
  for (const one of list.slice(Math.max(from, 0), to + 1)) tick(one, box.checked);
}

/** Selects a row, or no longer. */
function toggleRow(row: HTMLTableRowElement | null): void {
  const box = row?.querySelector<HTMLInputElement>('input[name=order]');
  if (!box) return;
  tick(box, !box.checked);
  anchor = box;
  count();
}

if (form) {
  for (const element of [all, none, selected]) if (element) element.hidden = false;
  all?.addEventListener('change', () => {
    for (const box of boxes()) tick(box, all.checked);
    count();
  });
  none?.addEventListener('click', () => {
    for (const box of boxes()) tick(box, false);
    count();
    anchor?.focus();
  });
  form.addEventListener('click', (event) => {
    const { target } = event;
    if (!(target instanceof HTMLInputElement) || target.name !== 'order') return;
    if (event.shiftKey) tickRange(target);
    anchor = target;
    count();
  });
  count();
}

const LEFT_AT = 'left-at';

document.addEventListener('click', (event) => {
  const row = (event.target as Element).closest<HTMLElement>('.list tbody tr');
  if (row) sessionStorage.setItem(LEFT_AT, `${location.pathname}${location.search} ${row.id}`);
});

const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
const [address, rowId = ''] = sessionStorage.getItem(LEFT_AT)?.split(' ') ?? [];
if (entry?.type === 'back_forward' && address === `${location.pathname}${location.search}`) {
  const row = document.getElementById(rowId);
  row?.querySelector<HTMLElement>('th > a')?.focus({ preventScroll: true });
}

// Keyboard shortcuts. The page's `data-keys` says what each key does (`key-table.ts`). Keys of single buttons
// are in their `data-key`, those of a list's rows in its `data-keys`; they apply to the focused row.
// `/staff/keys` lists all of them and turns them off.
import { make, shortcutsAreOff } from './page.js';

type Act =
  | { readonly goes: string }
  | { readonly focuses: string }
  | { readonly row: 'next' | 'previous' | 'select' };

const acts = JSON.parse(document.body.dataset.keys ?? '{}') as Readonly<Record<string, Act>>;
/** Milliseconds between the two keys of a sequence, at most. */
const SEQUENCE = 1_500;
let first = '';
let firstAt = Number.NEGATIVE_INFINITY;

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  const fields = 'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])';
  return element?.matches(fields) === true;
}

export function focusedRow(): HTMLTableRowElement | null {
  return document.activeElement?.closest<HTMLTableRowElement>('.list tbody tr') ?? null;
}

/** Moves the focus by one row; without a focused row, to the first. */
function moveBy(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.list tbody th > a')];
  const at = links.findIndex((link) => link.closest('tr') === focusedRow());
  const next = at < 0 ? links[0] : links[Math.min(Math.max(at + step, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** The form that a key opens for an order. A direct one is posted at once. */
interface RowKey {
  readonly path: string;
  readonly title: string;
  readonly direct: boolean;
}

/** None for a row of several enquiries, which has no box. */
function rowKeys(row: HTMLTableRowElement): Readonly<Record<string, RowKey>> {
  const isOne = row.querySelector('input[name=order]') !== null;
  const keys = isOne ? row.closest<HTMLElement>('.list')?.dataset.keys : undefined;
  return JSON.parse(keys ?? '{}') as Record<string, RowKey>;
}

function post(row: HTMLTableRowElement, action: string): void {
  const [, value] = row.querySelector<HTMLInputElement>('input[name=order]')!.value.split('.');
  const field = make('input', { type: 'hidden', name: 'version', value });
  const form = make('form', { method: 'post', action }, field);
  document.body.append(form);
  form.submit();
}

/** Opens the form as a dialog over the list; the focus then returns to the row. */
function openForm(href: string): void {
  const link = make('a', { href });
  link.dataset.dialog = '';
  document.body.append(link);
  link.click();
  link.remove();
}

function onRow(key: string, row: HTMLTableRowElement): boolean {
  const move = rowKeys(row)[key];
  if (move === undefined) return false;
  const address = `/staff/orders/${row.id}/${move.path}`;
  if (move.direct) post(row, address);
  else openForm(address);
  return true;
}

/** What the keys do to the focused row, for the list of commands. */
export function rowActions() {
  const row = focusedRow();
  if (!row) return [];
  return Object.entries(rowKeys(row)).map(([key, { title }]) => ({
    name: title,
    about: row.id,
    key,
    run: () => void onRow(key, row),
  }));
}

/** @returns whether there was something to do */
function perform(act: Act): boolean {
  if ('goes' in act) location.assign(act.goes);
  else if ('focuses' in act) {
    const field = document.querySelector<HTMLElement>(act.focuses);
    if (!field?.checkVisibility()) return false;
    field.focus();
    // The words of the search that the page shows: what is typed replaces them.
    if (field instanceof HTMLInputElement) field.select();
  } else if (act.row === 'select') toggleRow(focusedRow());
  else moveBy(act.row === 'next' ? 1 : -1);
  return true;
}

/** @returns whether the key is a shortcut */
function press(key: string, at: number): boolean {
  const sequence = at - firstAt < SEQUENCE ? acts[`${first} ${key}`] : undefined;
  firstAt = Number.NEGATIVE_INFINITY;
  if (sequence) return perform(sequence);
  if (Object.keys(acts).some((keys) => keys.startsWith(`${key} `))) {
    first = key;
    firstAt = at;
  }
  const act = acts[key];
  if (act && perform(act)) return true;
  const row = focusedRow();
  if (row && onRow(key, row)) return true;
  const own = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  own?.click();
  return own !== null;
}

if (!shortcutsAreOff) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.isComposing || (event.repeat && !'jk'.includes(event.key))) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (press(event.key, event.timeStamp)) event.preventDefault();
  });
}

/** The price in a matrix beside the focused one: left and right in its row, up and down in its column. */
function priceBeside(key: string, from: Element): HTMLElement | null {
  const cell = from.closest<HTMLTableCellElement>('.matrix td');
  const row = cell?.closest('tr');
  if (!cell || !row) return null;
  const isAcross = key === 'ArrowLeft' || key === 'ArrowRight';
  const rows = [...row.closest('tbody')!.rows];
  const cells = isAcross ? [...row.cells] : rows.map(({ cells }) => cells[cell.cellIndex]!);
  const step = key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1;
  const at = cells.indexOf(cell);
  const ahead = step > 0 ? cells.slice(at + 1) : cells.slice(0, at).reverse();
  return ahead.map((one) => one.querySelector<HTMLElement>('.offer')).find((one) => one) ?? null;
}

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (!key.startsWith('Arrow') || event.ctrlKey || event.metaKey || event.altKey) return;
  const next = (target as Element).matches('.offer') && priceBeside(key, target as Element);
  if (!next) return;
  event.preventDefault();
  next.focus();
});
