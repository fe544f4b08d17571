import { discard, isDirty, restore } from './drafts.js';
import { fetchPage, make } from './page.js';
import { say } from './say.js';

/** Shows the copy buttons, which pages hide because they need this script. */
function showCopyButtons(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
  }
}

showCopyButtons(document);

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>('button[data-copy]');
  if (!button) return;
  void navigator.clipboard.writeText(button.dataset.copy ?? '').then(() => {
    const word = button.querySelector('span') ?? button;
    const before = word.textContent;
    word.textContent = 'Copied';
    say('Copied.');
    setTimeout(() => (word.textContent = before), 1500);
  });
});

/** Shows the form of the page behind a `data-dialog` link as a dialog; on failure opens the page. */
async function openDialog(link: HTMLAnchorElement): Promise<void> {
  const drawn = await fetchPage(link.href);
  const form = drawn?.querySelector('[data-dialog-form]');
  const title = drawn?.querySelector('h1');
  if (!form || !title) return location.assign(link.href);
  const heading = make('h2', { id: 'dialog-title', tabIndex: -1 }, title.textContent);
  const dialog = make('dialog', {}, heading, document.importNode(form, true));
  dialog.setAttribute('aria-labelledby', heading.id);
  if (!dialog.querySelector('[data-close]')) {
    const button = make('button', { type: 'button' }, 'Close');
    button.dataset.close = '';
    (dialog.querySelector('.actions') ?? dialog).append(button);
  }
  document.body.append(dialog);
  closeOnRequest(dialog);
  showCopyButtons(dialog);
  dialog.querySelectorAll<HTMLFormElement>('form[data-draft]').forEach(restore);
  link.closest<HTMLDetailsElement>('details[open]')?.removeAttribute('open');
  dialog.showModal();
  const field = dialog.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea');
  // A long text without fields is read from its start.
  if (field) field.focus();
  else if (dialog.scrollHeight > dialog.clientHeight) heading.focus();
}

/** Escape, a click outside or a button closes the dialog. With unsaved text it asks first. */
function closeOnRequest(dialog: HTMLDialogElement): void {
  let pressedOutside = false;
  const request = () => {
    const form = [...dialog.querySelectorAll('form')].find(isDirty);
    if (form) ask(dialog, form);
    else dialog.close();
  };
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    request();
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    // Chromium does not let a page prevent two `cancel` events in a row.
    event.preventDefault();
    request();
  });
  dialog.addEventListener('pointerdown', (event) => (pressedOutside = isOutside(dialog, event)));
  dialog.addEventListener('click', (event) => {
    const isClose = (event.target as Element).closest('[data-close]') !== null;
    // A selection of text that ends outside is no click outside.
    if (!isClose && !(pressedOutside && isOutside(dialog, event))) return;
    event.preventDefault();
    request();
  });
}

/** The backdrop belongs to the dialog, and so does its padding: only the place tells them apart. */
function isOutside(dialog: HTMLDialogElement, { target, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  const isWithin = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
  return target === dialog && !isWithin;
}

/** Asks whether to close with unsaved text; asked again, goes back to the form. */
function ask(dialog: HTMLDialogElement, form: HTMLFormElement): void {
  const asked = dialog.querySelector<HTMLElement>('.ask');
  const back = () => {
    dialog.querySelector('.ask')?.remove();
    form.querySelector<HTMLElement>('textarea, input:not([type=hidden]), select')?.focus();
  };
  if (asked) return back();
  const isKept = form.dataset.draft !== undefined;
  const question = `Close without saving?${isKept ? ' Your text is kept as a draft.' : ''}`;
  const button = (text: string, onclick: () => void, className = '') =>
    make('button', { type: 'button', onclick, className }, text);
  const stay = button('Keep editing', back);
  const leave = button('Close', () => dialog.close());
  const drop = button(
    'Discard',
    () => {
      discard(form);
      dialog.close();
    },
    'danger',
  );
  const text = make('p', { id: 'ask-text' }, question);
  const actions = make('p', { className: 'actions' }, stay, leave, ...(isKept ? [drop] : []));
  const box = make('div', { className: 'ask notice soon', role: 'group' }, text, actions);
  box.setAttribute('aria-labelledby', text.id);
  dialog.append(box);
  stay.focus();
}

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-dialog]');
  if (!link) return;
  event.preventDefault();
  openDialog(link).catch(() => location.assign(link.href));
});

// A click outside an open menu closes it, and so does Escape.
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (!menu.contains(event.target as Node)) menu.removeAttribute('open');
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
  const menu = (event.target as Element).closest('details.menu[open]');
  menu?.removeAttribute('open');
  menu?.querySelector('summary')?.focus();
});
