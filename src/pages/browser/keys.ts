// Keyboard shortcuts. Those of a page are in `data-key` of its buttons and links; those of a list are
// in its `data-keys` and apply to the focused row. `/staff/keys` lists them and turns them off.
const off = document.cookie.split(/;\s*/).includes('keys=off');
const places: Readonly<Record<string, string>> = {
  q: '/staff/queue',
  m: '/staff/queue?view=mine',
};
/** Milliseconds between the two keys of a sequence, at most. */
const SEQUENCE = 1_500;
let wentAt = Number.NEGATIVE_INFINITY;

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  const fields = 'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])';
  return element?.matches(fields) === true;
}

function focusedRow(): HTMLTableRowElement | null {
  return document.activeElement?.closest<HTMLTableRowElement>('.list tbody tr') ?? null;
}

/** Moves the focus by one row; without a focused row, to the first. */
function moveBy(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.list tbody th a')];
  const at = links.findIndex((link) => link.closest('tr') === focusedRow());
  const next = at < 0 ? links[0] : links[Math.min(Math.max(at + step, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** The form that a key opens for an order. A direct one is posted at once. */
interface RowKey {
  readonly path: string;
  readonly direct: boolean;
}

function post(row: HTMLTableRowElement, address: string): void {
  const [, version] = row.querySelector<HTMLInputElement>('input[name=order]')!.value.split('.');
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
  const keys = row.closest<HTMLElement>('.list')?.dataset.keys ?? '{}';
  const move = (JSON.parse(keys) as Record<string, RowKey>)[key];
  if (move === undefined) return false;
  const address = `/staff/orders/${row.id}/${move.path}`;
  if (move.direct) post(row, address);
  else location.assign(address);
  return true;
}

/** @returns whether the key is a shortcut */
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
