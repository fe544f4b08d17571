/** Where the browser keeps the language of samples that the reader chose last. */
const LANGUAGE = 'docs-language';

/** Tells screen readers. */
const announcement = document.createElement('p');
announcement.className = 'unseen';
announcement.setAttribute('role', 'status');
document.body.append(announcement);

for (const figure of document.querySelectorAll('figure')) figure.append(copyButton(figure));
const chosen = (): string | null => localStorage.getItem(LANGUAGE);
for (const samples of document.querySelectorAll<HTMLElement>('.samples')) makeTabs(samples);
choose(chosen());
const field = document.querySelector<HTMLInputElement>('#search');
if (field) searchWhileTyping(field);

function copyButton(figure: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const code = figure.querySelector('code')?.textContent ?? '';
    void navigator.clipboard.writeText(code).then(() => {
      button.textContent = 'Copied';
      announcement.textContent = 'Copied.';
      setTimeout(() => {
        button.textContent = 'Copy';
        announcement.textContent = '';
      }, 1500);
    });
  });
  return button;
}

/** Replaces the summaries of a list of samples by tabs (WAI-ARIA Authoring Practices, Tabs). */
function makeTabs(samples: HTMLElement): void {
  const panels = [...samples.querySelectorAll('details')];
  if (panels.length < 2) return;
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  for (const panel of panels) {
    const name = panel.querySelector('summary')?.textContent ?? '';
    const content = document.createElement('div');
    content.append(...[...panel.children].slice(1));
    content.id = `sample-${document.querySelectorAll('[role=tabpanel]').length}`;
    content.setAttribute('role', 'tabpanel');
    content.setAttribute('aria-label', name);
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = name;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', content.id);
    tab.addEventListener('click', () => choose(name));
    list.append(tab);
    panel.replaceWith(content);
  }
  list.addEventListener('keydown', (event) => {
    const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const steps: Partial<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: -1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs.at(step % tabs.length);
    choose(next?.textContent ?? null);
    next?.focus();
  });
  samples.prepend(list);
}

/** Shows a language everywhere on the page, without moving what the reader looks at. */
function choose(language: string | null): void {
  if (language !== null) localStorage.setItem(LANGUAGE, language);
  const anchor = document.activeElement;
  const before = anchor?.getBoundingClientRect().top ?? 0;
  for (const list of document.querySelectorAll('.samples [role=tablist]')) {
    const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
    const current = tabs.find((tab) => tab.textContent === language) ?? tabs[0];
    for (const tab of tabs) {
      const isCurrent = tab === current;
      tab.setAttribute('aria-selected', String(isCurrent));
      tab.tabIndex = isCurrent ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel) panel.hidden = !isCurrent;
    }
  }
  if (anchor?.matches('[role=tab]')) scrollBy(0, anchor.getBoundingClientRect().top - before);
}

function note(text: string): HTMLElement {
  const line = document.createElement('p');
  line.className = 'count';
  line.textContent = text;
  return line;
}

/** Shows the results below the search field. Enter opens the page of results. */
function searchWhileTyping(input: HTMLInputElement): void {
  const found = document.createElement('div');
  found.className = 'found';
  found.hidden = true;
  const form = input.form!;
  form.append(found);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => (found.hidden = true);
  const show = (parts: readonly Element[]) => {
    found.replaceChildren(...parts);
    announcement.textContent = parts[0]?.textContent ?? '';
    found.hidden = false;
  };
  const search = async () => {
    const text = input.value.trim();
    if (text.length < 2) return close();
    const asked = new URLSearchParams([...new FormData(form)] as [string, string][]);
    const slow = setTimeout(() => show([note('Loading the index …')]), 300);
    const response = await fetch(`/docs/search?${asked.toString()}`).finally(() =>
      clearTimeout(slow),
    );
    if (!response.ok || text !== input.value.trim()) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const count = page.querySelector('.count');
    show([count, page.querySelector('.results')].filter((one) => one !== null));
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void search(), 150);
  });
  form.addEventListener('keydown', (event) => {
    const stops = [input, ...found.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && !found.hidden) {
      close();
      input.focus();
    } else if (step && !found.hidden) {
      const at = stops.indexOf(document.activeElement as HTMLInputElement);
      event.preventDefault();
      stops.at((at + step) % stops.length)?.focus();
    }
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !form.contains(relatedTarget as Node)) close();
  });
  document.addEventListener('click', ({ target }) => {
    if (!form.contains(target as Node)) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}

export {};
