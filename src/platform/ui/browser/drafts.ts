import { make } from './page.js';
import { say } from './say.js';
import { type Draft, keyOf, now, ownKeys, read, removeAll, write } from './stored-drafts.js';

// Drafts: what is typed into a form with `data-draft` stays in this browser until the service has saved it,
// the member clears it or signs out, another member signs in, or a day has passed. A draft belongs to the member who
// typed it.

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control =>
      element.matches('textarea, select, input:not([type=hidden], [type=password], [type=file])') &&
      (element as Control).name !== '',
  );
}

function isChoice(control: Control): control is HTMLInputElement {
  return control instanceof HTMLInputElement && /^(?:radio|checkbox)$/.test(control.type);
}

function isChanged(control: Control): boolean {
  if (isChoice(control)) return control.checked !== control.defaultChecked;
  if (control instanceof HTMLSelectElement) {
    return [...control.options].some(
      (option) => option.selected !== option.defaultSelected && option.value !== '',
    );
  }
  return control.value !== control.defaultValue;
}

/** Whether the form holds something that is not saved. */
export function isDirty(form: HTMLFormElement | null | undefined): boolean {
  if (!form) return false;
  return form.dataset.typed !== undefined || controlsOf(form).some(isChanged);
}

function versionOf(form: HTMLFormElement): HTMLInputElement | null {
  return form.querySelector('input[name=version]');
}

/** The first values, as JSON, of a form that replaces what is stored. */
function seenOf(form: HTMLFormElement): HTMLInputElement | null {
  return form.querySelector('input[name=seen]');
}

function save(form: HTMLFormElement, sent?: string): void {
  const key = keyOf(form.dataset.draft ?? '');
  if (!isDirty(form)) return localStorage.removeItem(key);
  const seen = seenOf(form)?.value;
  // What the member has not changed is not put back over what a colleague has changed since.
  const first = JSON.parse(seen || '{}') as Record<string, string>;
  const controls = controlsOf(form)
    .filter((control) => !isChoice(control) || control.checked)
    .filter(({ name, value }) => value !== first[name]);
  // A file cannot be kept. Its name says that the form was sent with one.
  const files = [...form.querySelectorAll<HTMLInputElement>('input[type=file]')];
  const fields = [...controls, ...files.filter(({ value }) => value !== '')].map(
    ({ name, value }) => [name, value] as const,
  );
  const version = versionOf(form)?.value ?? '';
  const title = form.dataset.draftTitle ?? document.querySelector('main > h1')?.textContent ?? '';
  write(key, { at: now(), fields, version, seen, title, ...(sent !== undefined && { sent }) });
}

/** Removes the draft of a form. */
export function discard(form: HTMLFormElement): void {
  localStorage.removeItem(keyOf(form.dataset.draft ?? ''));
  delete form.dataset.typed;
}

/** Puts the draft of a form back, unless the service has sent the form with what was typed. */
export function restore(form: HTMLFormElement): void {
  takeOver(form);
  if (form.dataset.typed !== undefined) return save(form);
  const draft = read(keyOf(form.dataset.draft ?? ''));
  if (!draft) return;
  form.hidden = false;
  fill(form, draft);
  if (seenOf(form)) keepVersion(form, draft);
  const time = new Date(draft.at).toLocaleTimeString('en-GB', { timeStyle: 'short' });
  const text = `This is what you typed at ${time}. It is not saved yet. `;
  const line = make('p', { className: 'hint' }, text);
  if (!form.querySelector('button[type=reset]')) {
    line.append(make('button', { type: 'reset', className: 'quiet' }, 'Discard'));
  }
  line.dataset.draftState = '';
  form.querySelector('.actions')?.before(line);
}

/** Removes the draft of the other form, after moving its texts into this note unless the service has. */
function takeOver(form: HTMLFormElement): void {
  const { takesOver, takesFields, draft = '' } = form.dataset;
  if (takesOver === undefined) return;
  const note = form.querySelector('textarea');
  if (takesFields !== undefined && note) {
    const names = takesFields.split(' ');
    const texts = (read(keyOf(takesOver))?.fields ?? [])
      .filter(([name, value]) => names.includes(name) && value.trim() !== '')
      .map(([, value]) => value);
    if (texts.length === 0) return;
    const before = read(keyOf(draft))?.fields.find(([name]) => name === note.name)?.[1];
    note.value = [...(before ? [before] : []), ...texts].join('\n\n');
    form.hidden = false;
    form.dataset.typed = '';
  }
  localStorage.removeItem(keyOf(takesOver));
}

function unfold(element: Element): void {
  for (let at: Element | null = element; at; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
}

/** @returns whether the form now has all of the draft */
function fill(form: HTMLFormElement, draft: Draft): boolean {
  const fields = withOwn(form, draft.fields);
  const controls = controlsOf(form);
  for (const control of controls) {
    const values = fields.filter(([name]) => name === control.name).map(([, value]) => value);
    if (isChoice(control)) control.checked = values.includes(control.value);
    else if (values[0] !== undefined) control.value = values[0];
    if (isChanged(control)) unfold(control);
  }
  return fields.every(([name, value]) =>
    controls.some(
      (one) => one.name === name && one.value === value && (!isChoice(one) || one.checked),
    ),
  );
}

/** A choice that is no longer offered, such as "in an hour" of an hour ago, becomes the member's own value. */
function withOwn(form: HTMLFormElement, fields: Draft['fields']): Draft['fields'] {
  for (const own of form.querySelectorAll<HTMLElement>('[data-own-of]')) {
    const { ownOf: name = '', for: choice = '' } = own.dataset;
    const value = fields.find(([one]) => one === name)?.[1];
    const text = own.querySelector('input');
    if (value === undefined || !text) continue;
    if (controlsOf(form).some((one) => one.name === name && one.value === value)) continue;
    const others = fields.filter(([one]) => one !== name && one !== text.name);
    fields = [...others, [name, choice], [text.name, value]];
  }
  return fields;
}

/** With the version and the values that the member saw, the service finds what a colleague has saved since. */
function keepVersion(form: HTMLFormElement, { version, seen }: Draft): void {
  const [field, first] = [versionOf(form), seenOf(form)];
  if (field) field.value = version;
  if (first && seen !== undefined) first.value = seen;
}

/** Sends a form again whose sending ended at the sign-in, with the version that the member saw. */
function resend(form: HTMLFormElement): void {
  const draft = read(keyOf(form.dataset.draft ?? ''));
  if (draft?.sent === undefined) return;
  // A choice is no longer offered, or a file is missing: the rest alone is not what the member sent.
  if (!fill(form, draft)) return;
  keepVersion(form, draft);
  const buttons = [...form.querySelectorAll<HTMLButtonElement>('button[type=submit]')];
  say('Saving what you sent before you were signed out.');
  form.requestSubmit(buttons.find(({ value }) => value === draft.sent) ?? buttons[0]);
}

function formOf(target: EventTarget | null): HTMLFormElement | null {
  return (target as Element | null)?.closest<HTMLFormElement>('form[data-draft]') ?? null;
}

/** The names of the member's drafts whose forms are on other pages. */
function draftsElsewhere(forms: Iterable<HTMLFormElement>): string[] {
  const here = new Set([...forms].map(({ dataset }) => dataset.draft ?? ''));
  return ownKeys()
    .map((key) => key.slice(keyOf('').length))
    .filter((name) => !here.has(name))
    .sort();
}

/** The page of a draft's form, and its name in the list of drafts. The names of drafts are paths. */
function linkOf(name: string): readonly [path: string, text: string] {
  if (!/^(?:ORD|ENQ)-/.test(name)) return [name, read(keyOf(name))?.title || name];
  const [reference = '', form = ''] = name.split(/[/?]/);
  return form === 'call'
    ? [`orders/${reference}`, reference]
    : [`orders/${name}`, `${reference} (${form})`];
}

/** Whether this page lists everything that has a draft of this kind, but no longer this one. */
function isMoot(name: string): boolean {
  const start = document.querySelector<HTMLElement>('[data-drafts]')?.dataset.drafts;
  return start !== undefined && name.startsWith(start);
}

/** Shows a last time what was typed into a form that is gone, unless the page itself does, and removes it. */
function drop(name: string): void {
  const draft = read(keyOf(name));
  localStorage.removeItem(keyOf(name));
  const typed = (draft?.fields ?? []).map(([, value]) => value.trim()).join(' ');
  const main = document.querySelector('main');
  if (draft === null || main?.textContent.includes(typed)) return;
  const text = `${draft.title ?? name}: this no longer waits for a decision. You wrote: ${typed}`;
  main?.querySelector('h1')?.after(make('p', { className: 'draft-gone' }, text));
}

/** Counts the drafts beside the member's name, so that what was typed and left is not forgotten. */
function remind(names: readonly string[]): void {
  const account = document.querySelector('.top > .menu');
  if (names.length === 0 || !account) return;
  const count = make('summary');
  const list = make('ul');
  const menu = make('details', { className: 'menu drafts-left' }, count, list);
  const draw = () => {
    const { length } = list.children;
    count.textContent = length === 1 ? '1 draft' : `${length} drafts`;
    if (length === 0) menu.remove();
  };
  names.forEach((name) => {
    const [path, text] = linkOf(name);
    const ariaLabel = `Discard what you typed for ${text}`;
    const drop = make('button', { type: 'button', ariaLabel }, 'Discard');
    const item = make('li', {}, make('a', { href: `/staff/${path}` }, text), drop);
    drop.addEventListener('click', (event) => {
      // A click outside would close the menu; the button is gone by then.
      event.stopPropagation();
      localStorage.removeItem(keyOf(name));
      item.remove();
      draw();
    });
    list.append(item);
  });
  draw();
  account.before(menu);
}

function removeSaved(here: URL): void {
  const answer = document.querySelector<HTMLElement>('[data-saved]');
  const saved = here.searchParams.get('saved') ?? answer?.dataset.saved;
  if (saved === undefined) return;
  // An address alone cannot remove a draft that was not sent.
  if (read(keyOf(saved))?.sent !== undefined) localStorage.removeItem(keyOf(saved));
  if (!here.searchParams.has('saved')) return;
  here.searchParams.delete('saved');
  history.replaceState(history.state, '', here);
}

if (document.body.dataset.member !== undefined) {
  const here = new URL(location.href);
  removeSaved(here);
  const forms = document.querySelectorAll<HTMLFormElement>('form[data-draft]');
  if (here.searchParams.has('resend')) {
    here.searchParams.delete('resend');
    history.replaceState(history.state, '', here);
    forms.forEach(resend);
  }
  forms.forEach(restore);
  const others = draftsElsewhere(forms);
  others.filter(isMoot).forEach(drop);
  remind(others.filter((name) => !isMoot(name)));
  for (const kind of ['input', 'change'] as const) {
    document.addEventListener(kind, ({ target }) => {
      const form = formOf(target);
      if (form) save(form);
    });
  }
  document.addEventListener('submit', ({ target, submitter }) => {
    const form = target as HTMLFormElement;
    if (form.getAttribute('action') === '/staff/sign-out') {
      removeAll();
    } else if (form.matches('[data-draft]')) {
      save(form, (submitter as HTMLButtonElement | null)?.value ?? '');
    }
  });
  document.addEventListener('reset', (event) => {
    const form = formOf(event.target);
    if (!form) return;
    const wasSent = form.dataset.typed !== undefined;
    discard(form);
    form.querySelector('p[data-draft-state]')?.remove();
    // The service has sent such a form with the typed values as its first ones.
    if (wasSent) location.assign(form.action.replace(/\/call$/, ''));
  });
}
