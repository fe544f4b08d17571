import { showCopyButtons } from './copy.js';
import { fetchPage } from './page.js';

/** Shows the form of the page behind a `data-dialog` link as a dialog; on failure opens the page. */
async function openDialog(link: HTMLAnchorElement): Promise<void> {
  const drawn = await fetchPage(link.href);
  const form = drawn?.querySelector('[data-dialog-form]');
  const title = drawn?.querySelector('h1');
  if (!form || !title) return location.assign(link.href);
  const dialog = document.createElement('dialog');
  const heading = document.createElement('h2');
  heading.id = 'dialog-title';
  heading.textContent = title.textContent;
  dialog.setAttribute('aria-labelledby', heading.id);
  dialog.append(heading, document.importNode(form, true));
  if (!dialog.querySelector('[data-close]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Close';
    button.dataset.close = '';
    (dialog.querySelector('.actions') ?? dialog).append(button);
  }
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || (event.target as Element).closest('[data-close]')) {
      event.preventDefault();
      dialog.close();
    }
  });
  showCopyButtons(dialog);
  link.closest<HTMLDetailsElement>('details[open]')?.removeAttribute('open');
  dialog.showModal();
  dialog.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea')?.focus();
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
