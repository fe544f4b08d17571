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
export function toggleRow(row: HTMLTableRowElement | null): void {
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
