import { parsePage } from './page.js';
import { say } from './say.js';

/** Milliseconds after the last key, before a row is sent. */
const PAUSE = 400;

// The rows of a form that are stored and answered while a person types. Without an answer, the form sends them all.
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-rows]')) {
  const timers = new Map<Element, ReturnType<typeof setTimeout>>();
  form.addEventListener('input', ({ target }) => {
    const row = (target as Element).closest('tr');
    if (!row) return;
    clearTimeout(timers.get(row));
    timers.set(
      row,
      setTimeout(() => void answer(form, row).catch(() => undefined), PAUSE),
    );
  });
}

async function answer(form: HTMLFormElement, row: Element): Promise<void> {
  const shown = row.querySelector<HTMLElement>('[data-answer]');
  if (!shown) return;
  const inputs = [...row.querySelectorAll('input')].map((input) => [input.name, input.value]);
  const response = await fetch(`${form.dataset.rows!}/${shown.dataset.answer!}`, {
    method: 'POST',
    body: new URLSearchParams(inputs),
    headers: { Accept: 'text/html' },
  });
  if (!response.ok || response.redirected) return;
  const now = (await parsePage(response)).querySelector<HTMLElement>('[data-answer]');
  if (!now) return;
  shown.replaceWith(document.importNode(now, true));
  const version = form.querySelector<HTMLInputElement>('input[name=version]');
  const stored = Math.max(Number(version?.value), Number(now.dataset.version));
  if (version) version.value = String(stored);
  say(now.textContent ?? '');
}

// A button that says how many boxes are ticked.
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-counts]')) {
  const { form } = button;
  const none = button.textContent;
  const [one = '', many = ''] = button.dataset.words!.split('|');
  const count = () => {
    const { length } = form!.querySelectorAll(`input[name=${button.dataset.counts!}]:checked`);
    const words = length === 1 ? one : many.replace('#', String(length));
    button.textContent = length === 0 ? none : words;
  };
  form?.addEventListener('change', count);
  count();
}
