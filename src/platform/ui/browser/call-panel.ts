import { shortcutsAreOff } from './page.js';

// The call panel: digits choose in the group that has the focus, a chosen step leads to its details, Escape
// leaves a text field, so that keys work again, and Ctrl+Enter saves. The other keys are in `data-key` of
// its options, as on every page.

function panelOf(target: EventTarget | null): HTMLFormElement | null {
  const own = (target as Element | null)?.closest<HTMLFormElement>('form[data-call]');
  const open = document.querySelector<HTMLElement>('dialog[open]');
  return own ?? (open ?? document).querySelector<HTMLFormElement>('form[data-call]');
}

function isText(target: EventTarget | null): boolean {
  const fields = 'textarea, select, input:not([type=checkbox], [type=radio])';
  return (target as Element | null)?.matches(fields) === true;
}

/** Ctrl+Enter sends the form; with Shift, by its button that also takes the next order. */
function send(event: KeyboardEvent): void {
  const form =
    (event.target as Element).closest<HTMLFormElement>('form[method=post]') ??
    panelOf(event.target);
  if (!form) return;
  const button = event.shiftKey
    ? form.querySelector<HTMLButtonElement>('[data-then-next]')
    : form.querySelector<HTMLButtonElement>('button[type=submit]');
  if (!button) return;
  event.preventDefault();
  form.requestSubmit(button);
}

/** Chooses by a digit in the focused group. A digit without an option there does nothing. */
function choose(group: Element, digit: string): void {
  const options = group.querySelectorAll<HTMLInputElement>('[data-digit]');
  const option = [...options].find(({ dataset }) => dataset.digit === digit);
  option?.focus();
  option?.click();
}

/** From a text field of the panel to the panel. In a dialog, Escape closes it. */
function leave(field: HTMLElement): void {
  const panel = field.closest('dialog') ? null : field.closest<HTMLElement>('form[data-call]');
  if (isText(field)) panel?.focus();
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    // A key that is held down must not also send the form of the next page.
    return event.repeat ? undefined : send(event);
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === 'Escape') return leave(event.target as HTMLElement);
  if (shortcutsAreOff || isText(event.target)) return;
  const group = document.activeElement?.closest('[data-local-keys]');
  if (group && /^\d$/.test(event.key)) {
    // Otherwise the digit of a day without work would choose an outcome.
    event.preventDefault();
    return choose(group, event.key);
  }
  // The keys of the page do nothing in a dialog; those of its panel do.
  const inDialog = document.querySelector(
    `dialog[open] form[data-call] [data-key="${CSS.escape(event.key)}"]`,
  );
  if (!inDialog) return;
  event.preventDefault();
  (inDialog as HTMLElement).click();
}

/** Leads the focus from a choice to what it needs next, but not while arrow keys walk through a group. */
function onClick({ target, detail, isTrusted }: MouseEvent): void {
  if (!(target instanceof HTMLInputElement) || (isTrusted && detail === 0)) return;
  const { name, value, form } = target;
  if (!form?.matches('[data-call]')) return;
  const focus = (selector: string) => form.querySelector<HTMLElement>(selector)?.focus();
  if (name === 'next') {
    if (value === 'win') target.focus();
    else focus(`.details-of[data-for="${CSS.escape(value)}"] :is([data-digit], input)`);
  } else if (name === 'day') {
    const times = '[name=time]';
    focus(form.querySelector(`${times}:checked`) ? `${times}:checked` : times);
  } else if (name === 'reason' && value === 'other') {
    focus('textarea');
  }
}

document.addEventListener('keydown', onKey);
document.addEventListener('click', onClick);
