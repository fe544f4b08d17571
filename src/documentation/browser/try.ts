/** Where the browser keeps the token that was last sent, until the tab is closed. */
const TOKEN = 'docs-token';
/** Characters of an answer that are shown. */
const LONGEST = 100_000;

const tokenFields = [...document.querySelectorAll<HTMLInputElement>('.try input[name=token]')];
for (const field of tokenFields) field.value = sessionStorage.getItem(TOKEN) ?? '';
for (const details of document.querySelectorAll<HTMLElement>('.try')) details.hidden = false;
for (const form of document.querySelectorAll<HTMLFormElement>('.try form')) {
  form.addEventListener('input', () => ask(form, false));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    keepToken(form);
    if (changesLive(form) && !form.matches('.asked')) ask(form, true);
    else void send(form);
  });
}

/** Puts the token into every form of the page. */
function keepToken(form: HTMLFormElement): void {
  const token = valueOf(form, 'token');
  if (token === '') return;
  sessionStorage.setItem(TOKEN, token);
  for (const field of tokenFields) field.value = token;
}

/** Whether the request does something real. */
function changesLive(form: HTMLFormElement): boolean {
  const token = valueOf(form, 'token');
  return form.dataset.method !== 'GET' && token !== '' && !token.startsWith('pas_test_');
}

/** Before the first request that does something real: the next press sends it. */
function ask(form: HTMLFormElement, isAsked: boolean): void {
  if (form.matches('.asked') === isAsked) return;
  form.classList.toggle('asked', isAsked);
  form.querySelector('button')!.textContent = isAsked ? 'Send with this live token' : 'Send';
  if (isAsked) say(form, 'This is not a test token: the request is real. Press again to send it.');
}

async function send(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector('button')!;
  button.disabled = true;
  say(form, 'Sending …');
  const started = performance.now();
  try {
    const response = await fetch(addressFor(form), requestFor(form));
    const text = await response.text();
    show(form, response, text, Math.round(performance.now() - started));
  } catch {
    say(form, 'No answer: the service could not be reached.');
  } finally {
    button.disabled = false;
    ask(form, false);
  }
}

function addressFor(form: HTMLFormElement): string {
  const path = form.dataset.path!.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valueOf(form, `path:${name}`)),
  );
  const query = new URLSearchParams(filledIn(form, 'query:')).toString();
  return query === '' ? path : `${path}?${query}`;
}

function requestFor(form: HTMLFormElement): RequestInit {
  const token = valueOf(form, 'token');
  const body = valueOf(form, 'body');
  return {
    method: form.dataset.method,
    // A session of the staff pages is not the caller.
    credentials: 'omit',
    headers: {
      ...(token !== '' && { Authorization: `Bearer ${token}` }),
      ...(body !== '' && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(filledIn(form, 'header:')),
    },
    ...(body !== '' && { body }),
  };
}

/** The names, without the prefix, and values of the fields that have one. */
function filledIn(form: HTMLFormElement, prefix: string): [string, string][] {
  return [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
    name.startsWith(prefix) && value !== '' ? [[name.slice(prefix.length), value as string]] : [],
  );
}

function valueOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function show(form: HTMLFormElement, response: Response, text: string, duration: number): void {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const more = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Headers';
  more.append(summary, code(headers));
  say(form, `${response.status} ${response.statusText} in ${duration} ms`);
  const body = readable(response, text);
  form.querySelector('.outcome')!.append(...(body === '' ? [] : [code(body)]), more);
}

function readable(response: Response, text: string): string {
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const whole = isJson && text !== '' ? JSON.stringify(JSON.parse(text), null, 2) : text;
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST)}\n…` : whole;
}

function code(text: string): HTMLElement {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.append(Object.assign(document.createElement('code'), { textContent: text }));
  return pre;
}

function say(form: HTMLFormElement, text: string): void {
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  form.querySelector('.outcome')!.replaceChildren(status);
  status.textContent = text;
}

export {};
