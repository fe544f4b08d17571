import { showCopyButtons } from './copy.js';

/**
 * A link with `data-dialog` leads to a page with a form. Here the form is shown in a dialog instead;
 * what goes wrong on the way leads to the page.
 */
async function openDialog(link: HTMLAnchorElement): Promise<void> {
  const response = await fetch(link.href, { headers: { Accept: 'text/html' } });
  const drawn = new DOMParser().parseFromString(await response.text(), 'text/html');
  const form = drawn.querySelector('[data-dialog-form]');
  const title = drawn.querySelector('h1');
  if (!response.ok || !form || !title) return location.assign(link.href);
  const dialog = document.createElement('dialog');
  const heading = document.createElement('h2');
  heading.id = 'dialog-title';
  heading.textContent = title.textContent;
  dialog.setAttribute('aria-labelledby', heading.id);
  dialog.append(heading, document.importNode(form, true));
  if (!dialog.querySelector('[data-close]')) {
    (dialog.querySelector('.form-end') ?? dialog).append(closeButton());
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

function closeButton(): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Close';
  button.dataset.close = '';
  return button;
}

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-dialog]');
  if (!link) return;
  event.preventDefault();
  openDialog(link).catch(() => location.assign(link.href));
});

// A menu closes when one presses beside it, or Escape.
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
