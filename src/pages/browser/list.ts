// A list: one box selects all rows, and the Back button focuses the row that the user opened.
const form = document.querySelector<HTMLFormElement>('form.list');
const all = form?.querySelector<HTMLInputElement>('input[data-all]');

function boxes(): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('tbody input[name=order]') ?? [])];
}

if (form && all) {
  all.hidden = false;
  all.addEventListener('change', () => {
    for (const box of boxes()) if (!box.disabled) box.checked = all.checked;
  });
  form.addEventListener('change', () => {
    const ticked = boxes().filter(({ checked }) => checked).length;
    all.checked = ticked > 0 && ticked === boxes().length;
    all.indeterminate = ticked > 0 && !all.checked;
  });
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
  row?.querySelector<HTMLElement>('th a')?.focus({ preventScroll: true });
}
export {};
