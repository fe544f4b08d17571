import { rowActions } from './keys.js';
import { listbox } from './listbox.js';
import { make } from './page.js';

// The list of commands (Ctrl+K): what the page and the navigation offer this person, by name. A command
// presses the button or follows the link that the page has, so it can do no more than these.

interface Command {
  readonly name: string;
  /** The heading above it: an order, or where it leads. */
  readonly about: string;
  readonly key?: string;
  run(): void;
}

/** The name of a button or link, without the key that is printed on it. */
function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label');
  if (label !== null) return label;
  const copy = element.cloneNode(true) as HTMLElement;
  for (const part of copy.querySelectorAll('kbd, svg, .count, .badge, [aria-hidden=true]'))
    part.remove();
  return copy.textContent.replaceAll(/\s+/g, ' ').trim();
}

/** Visible, or in a closed menu. */
function isOffered(element: HTMLElement): boolean {
  if (element.closest('dialog, [hidden], fieldset:disabled') || element.matches(':disabled'))
    return false;
  return element.closest('details.menu, .places') !== null || element.checkVisibility();
}

function commandsIn(selector: string, about: string): Command[] {
  return [...document.querySelectorAll<HTMLElement>(selector)]
    .filter((element) => isOffered(element))
    .map((element) => ({
      name: nameOf(element),
      about,
      key: element.dataset.key,
      run: () => element.click(),
    }));
}

/** Everything that this page offers, first what is nearest. */
function allCommands(): Command[] {
  const here = 'main :is(button, a.button, a[data-dialog], .toolbar a, .filters summary, .pager a)';
  const all = [
    ...rowActions(),
    ...commandsIn(here, 'This page'),
    ...commandsIn('.top > form button[data-key]', 'Orders'),
    ...commandsIn('.places a', 'Go to'),
    ...commandsIn('.top > .menu:not(.drafts-left) :is(a, button)', 'Account'),
  ];
  const seen = new Set<string>();
  return all.filter(({ name, about }) => {
    const key = `${name} ${about}`;
    if (name === '' || name.startsWith('Commands') || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Whether each typed word starts a word of the command. */
function matches({ name, about }: Command, typed: string): boolean {
  const words = `${name} ${about}`.toLowerCase().split(/[\s:,-]+/);
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted.every((part) => words.some((word) => word.startsWith(part)));
}

/** A reference of an order or an enquiry, as people type it: `ord pc5a6m`. */
function referenceIn(typed: string): string | null {
  const [, kind, code] = /^(ord|enq)[\s-]?([0-9a-z]{6})$/i.exec(typed) ?? [];
  return kind && code ? `${kind}-${code}`.toUpperCase() : null;
}

function optionOf({ name, key }: Command): HTMLElement {
  const option = make('li', { role: 'option' }, name);
  if (key !== undefined) option.append(' ', make('kbd', {}, key));
  return option;
}

export function openPalette(): void {
  if (document.querySelector('dialog[open]')) return;
  const commands = allCommands();
  const input = make('input', {
    type: 'text',
    placeholder: 'Type the name of an action or a page',
    autocomplete: 'off',
    ariaLabel: 'Command',
  });
  const ariaLabel = 'Commands';
  const list = make('ul', { id: 'commands', className: 'options', role: 'listbox', ariaLabel });
  const dialog = make('dialog', { className: 'palette', ariaLabel }, input, list);
  document.body.append(dialog);

  const actions = new Map<HTMLElement, () => void>();
  const box = listbox(input, list, (option) => {
    const run = actions.get(option);
    dialog.close();
    run?.();
  });
  const draw = () => {
    const typed = input.value.trim();
    actions.clear();
    const found = commands.filter((one) => matches(one, typed));
    const go = (name: string, path: string): Command => {
      return { name, about: 'Orders', run: () => location.assign(`/staff/${path}`) };
    };
    const reference = referenceIn(typed);
    if (reference !== null) found.unshift(go(`Open ${reference}`, `orders/${reference}`));
    if (typed !== '') {
      found.push(go(`Search for “${typed}”`, `search?q=${encodeURIComponent(typed)}`));
    }
    for (const command of found) actions.set(optionOf(command), () => command.run());
    const options = [...actions.keys()];
    box.show(options, 0);
    options.forEach((option, i) => {
      const { about } = found[i]!;
      if (about === found[i - 1]?.about) return;
      option.before(make('li', { role: 'presentation', className: 'heading' }, about));
    });
  };
  input.addEventListener('input', draw);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  // The focus returns by then, so that a command finds the row that had it.
  dialog.addEventListener('close', () => dialog.remove());
  dialog.showModal();
  draw();
}

for (const item of document.querySelectorAll<HTMLElement>('[data-palette]')) {
  item.hidden = false;
  item.addEventListener('click', () => {
    item.closest('details')?.removeAttribute('open');
    openPalette();
  });
}

document.addEventListener('keydown', (event) => {
  const isCombination = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!isCombination || event.key.toLowerCase() !== 'k') return;
  event.preventDefault();
  openPalette();
});
