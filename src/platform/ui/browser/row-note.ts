import { fetchPart, make } from './page.js';

// The last note of the row that has the pointer or the focus, in a box below the row. Escape closes it.

/** Milliseconds on a row before the service is asked. */
const PAUSE = 350;
const list = document.querySelector<HTMLElement>('#list:has(form.list)');

if (list) {
  const about = { id: 'row-note', className: 'row-note', hidden: true, role: 'tooltip' };
  const note = make('div', about);
  list.append(note);
  let timer: number | undefined;
  let asked: AbortController | undefined;
  let shownFor: HTMLTableRowElement | null = null;

  const close = () => {
    window.clearTimeout(timer);
    asked?.abort();
    note.hidden = true;
    shownFor?.querySelector('th > a')?.removeAttribute('aria-describedby');
    shownFor = null;
  };

  const show = async (row: HTMLTableRowElement) => {
    asked = new AbortController();
    const part = await fetchPart(`/staff/queue/notes/${row.id}`, asked.signal);
    if (part === null || shownFor !== row) return;
    note.replaceChildren(...part.childNodes);
    note.hidden = false;
    const below = row.getBoundingClientRect().bottom;
    const fits = below + note.offsetHeight <= document.documentElement.clientHeight;
    const top = fits ? below : row.getBoundingClientRect().top - note.offsetHeight;
    note.style.top = `${top - list.getBoundingClientRect().top}px`;
    row.querySelector('th > a')?.setAttribute('aria-describedby', note.id);
  };

  const consider = ({ target, type }: Event) => {
    if (note.contains(target as Node)) return;
    // A box that was ticked with the pointer has the focus, too.
    if ((target as Element).matches('input:not(:focus-visible)') && type === 'focusin') return;
    const row = (target as Element).closest<HTMLTableRowElement>('.list tbody tr');
    if (row === shownFor) return;
    // A row that has the focus keeps its note while the pointer is elsewhere.
    if (!row && type === 'pointermove' && shownFor?.contains(document.activeElement)) return;
    close();
    if (!row) return;
    shownFor = row;
    timer = window.setTimeout(() => void show(row).catch(() => undefined), PAUSE);
  };

  // Not `pointerover`: it also fires where a row comes below a resting pointer.
  document.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'mouse') consider(event);
  });
  document.addEventListener('focusin', consider);
  document.addEventListener('pointerdown', (event) => {
    if (!note.contains(event.target as Node)) close();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
}
