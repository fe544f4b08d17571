import { listbox } from './listbox.js';
import { fetchPart, make } from './page.js';
import { say } from './say.js';

// Suggestions below the search field. Enter without a chosen one searches, as it does without scripts.

/** Milliseconds without a key before the service is asked. */
const PAUSE = 150;
const input = document.querySelector<HTMLInputElement>('#search');

if (input) {
  const list = make('ul', {
    id: 'suggestions',
    className: 'options',
    hidden: true,
    role: 'listbox',
    ariaLabel: 'Suggestions',
  });
  input.after(list);
  const box = listbox(input, list, (option) => location.assign(option.dataset.href ?? '/staff'));
  let timer: number | undefined;
  let asked: AbortController | undefined;

  const suggest = async (q: string) => {
    asked?.abort();
    asked = new AbortController();
    const path = `/staff/search/suggestions?q=${encodeURIComponent(q)}`;
    const part = await fetchPart(path, asked.signal);
    if (part === null || document.activeElement !== input || input.value.trim() !== q) return;
    const options = [...part.querySelectorAll<HTMLElement>('[role=option]')];
    box.show(options);
    say(options.length === 1 ? '1 suggestion' : `${options.length} suggestions`);
  };

  const stop = () => {
    window.clearTimeout(timer);
    asked?.abort();
    box.hide();
  };

  input.addEventListener('input', () => {
    window.clearTimeout(timer);
    const q = input.value.trim();
    if (q.length < 2) return stop();
    timer = window.setTimeout(() => void suggest(q).catch(() => undefined), PAUSE);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || list.hidden) return;
    event.preventDefault();
    stop();
  });
  input.addEventListener('blur', stop);
  input.form?.addEventListener('submit', stop);
}
