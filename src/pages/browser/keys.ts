// Single keys: those of the page are on its own buttons and links, as `data-key`; those of a list
// are in its `data-keys` and apply to the row that has the focus. `/staff/keys` lists them, and switches them off.
const off = document.cookie.split(/;\s*/).includes('keys=off');
const places: Readonly<Record<string, string>> = {
  q: '/staff/queue',
  m: '/staff/queue?view=mine',
};
/** Milliseconds within which the second key of two has to follow. */
const SEQUENCE = 1_500;
let wentAt = Number.NEGATIVE_INFINITY;

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return element?.matches('textarea, select, [contenteditable]') === true || isTextInput(element);
}

function isTextInput(element: HTMLElement | null): boolean {
  return element instanceof HTMLInputElement && !['checkbox', 'radio'].includes(element.type);
}

function rowLinks(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('.list tbody th a')];
}

function focusedRow(): HTMLTableRowElement | null {
  return document.activeElement?.closest<HTMLTableRowElement>('.list tbody tr') ?? null;
}

/** Moves the focus to the next row, or the one before; to the first where no row has it. */
function moveBy(step: 1 | -1): void {
  const links = rowLinks();
  const at = links.findIndex((link) => link.closest('tr') === focusedRow());
  const next = at < 0 ? links[0] : links[Math.min(Math.max(at + step, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** What a key does to an order: the path of its form, and whether the key posts it at once. */
interface RowKey {
  readonly path: string;
  readonly direct: boolean;
}

function rowKeys(): Readonly<Record<string, RowKey>> {
  const text = document.querySelector<HTMLElement>('.list')?.dataset.keys ?? '{}';
  return JSON.parse(text) as Record<string, RowKey>;
}

function post(row: HTMLTableRowElement, address: string): void {
  const version = row.querySelector<HTMLInputElement>('input[name=order]')?.value.split('.')[1];
  const form = document.createElement('form');
  form.method = 'post';
  form.action = address;
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = 'version';
  field.value = version ?? '';
  form.append(field);
  document.body.append(form);
  form.submit();
}

function onRow(key: string, row: HTMLTableRowElement): boolean {
  const move = rowKeys()[key];
  if (move === undefined) return false;
  const address = `/staff/orders/${row.id}/${move.path}`;
  if (move.direct) post(row, address);
  else location.assign(address);
  return true;
}

/** @returns whether the key did something */
function press(key: string, at: number): boolean {
  const place = places[key];
  if (at - wentAt < SEQUENCE && place !== undefined) {
    location.assign(place);
    return true;
  }
  wentAt = key === 'g' ? at : Number.NEGATIVE_INFINITY;
  if (key === 'j' || key === 'k') {
    moveBy(key === 'j' ? 1 : -1);
    return true;
  }
  if (key === '/') {
    document.querySelector<HTMLInputElement>('#search')?.focus();
    return true;
  }
  const row = focusedRow();
  if (row && onRow(key, row)) return true;
  const own = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  own?.click();
  return own !== null;
}

if (!off) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.isComposing || (event.repeat && !'jk'.includes(event.key))) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (press(event.key, event.timeStamp)) event.preventDefault();
  });
}
export {};
