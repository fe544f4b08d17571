import { say } from './say.js';

// News of the server. A list is drawn anew in place: the cells of its rows change, its rows stay
// where they are, and rows that are new wait until somebody asks for them. The page of an order says
// that it has changed, and who else looks at it.

/** Milliseconds. */
const GATHERING = 500;
/** Times such as "due in 5 min" are drawn anew at least so often. */
const REDRAWING = 60_000;
/** After so long without a hand on the machine the page is left alone, so that the session can end. */
const IDLE = 20 * 60_000;

const list = document.getElementById('list');
const order = document.getElementById('order');
/** Of this page; after a form was sent, the address bar has that of the form. */
const address = list?.dataset.address ?? location.pathname;
let seen = Number(list?.dataset.live ?? '0');
let source: EventSource | undefined;
let timer: number | undefined;
let drawing: Promise<void> = Promise.resolve();
let lastTouch = performance.now();
let firstEntry: number | undefined;

function isIdle(): boolean {
  return performance.now() - lastTouch > IDLE;
}

async function fetchPage(path: string): Promise<Document | null> {
  const response = await fetch(path, { headers: { Accept: 'text/html' } });
  if (!response.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Copies text and attributes; what has the focus, or is ticked, stays as it is. */
function redrawRow(row: HTMLTableRowElement, drawn: HTMLTableRowElement): void {
  [...row.cells].forEach((cell, i) => {
    const next = drawn.cells[i];
    if (!next) return;
    const box = cell.querySelector<HTMLInputElement>('input[name=order]');
    const nextBox = next.querySelector<HTMLInputElement>('input[name=order]');
    if (box && nextBox) {
      box.value = nextBox.value;
      const time = cell.querySelector('time');
      const nextTime = next.querySelector('time');
      if (time && nextTime && time.innerHTML !== nextTime.innerHTML) {
        time.replaceChildren(...nextTime.childNodes);
      }
      return;
    }
    if (cell.contains(document.activeElement) || cell.innerHTML === next.innerHTML) return;
    cell.replaceChildren(...next.childNodes);
  });
}

/** The order is no longer in the list; its row stays under the pointer until the list is shown anew. */
function markGone(row: HTMLTableRowElement): void {
  if (row.classList.contains('gone')) return;
  row.classList.add('gone');
  const box = row.querySelector<HTMLInputElement>('input[name=order]');
  if (box) {
    box.checked = false;
    box.disabled = true;
  }
  const state = row.cells[5];
  if (state) state.textContent = 'No longer in this list';
}

function redrawAround(drawn: Document): void {
  const heading = drawn.querySelector('h1');
  const own = document.querySelector('main > h1');
  if (heading && own && own.textContent !== heading.textContent) {
    own.textContent = heading.textContent;
    document.title = drawn.title;
  }
  const places = document.querySelectorAll('.places .count');
  const drawnPlaces = drawn.querySelectorAll('.places .count');
  places.forEach((count, i) => (count.textContent = drawnPlaces[i]?.textContent ?? ''));
}

async function redrawList(): Promise<void> {
  const drawn = await fetchPage(address);
  const drawnList = drawn?.getElementById('list');
  if (!drawn || !drawnList || !list) return;
  seen = Math.max(seen, Number(drawnList.dataset.live));
  redrawAround(drawn);
  const rows = list.querySelectorAll<HTMLTableRowElement>('tbody tr');
  for (const row of rows) {
    const next = drawnList.querySelector<HTMLTableRowElement>(`#${CSS.escape(row.id)}`);
    if (!next) markGone(row);
    else if (!row.classList.contains('gone')) redrawRow(row, next);
  }
  const present = new Set([...rows].map(({ id }) => id));
  const added = [...drawnList.querySelectorAll('tbody tr')].filter(({ id }) => !present.has(id));
  if (added.length > 0) offer(`${added.length} new, show`);
}

/** A button at the edge of the window, which pushes nothing. */
function offer(text: string): void {
  let button = document.querySelector<HTMLButtonElement>('button.news');
  if (!button) {
    button = document.createElement('button');
    button.type = 'button';
    button.className = 'news primary';
    button.addEventListener('click', () => location.assign(address));
    document.querySelector('main')?.append(button);
  }
  if (button.textContent === text) return;
  button.textContent = text;
  say(text);
}

function redrawSoon(): void {
  timer ??= window.setTimeout(
    () => {
      timer = undefined;
      drawing = drawing.then(redrawList).catch(() => undefined);
      // A little later on some screens than on others, so that they do not all ask at once.
    },
    GATHERING + Math.random() * GATHERING,
  );
}

function onOrder({ data }: MessageEvent<string>): void {
  const { version, entry } = JSON.parse(data) as { version: number; entry: number };
  firstEntry ??= entry;
  const shown = Number(order?.dataset.version);
  if (version !== shown || entry !== firstEntry) void tellOfChange();
}

async function tellOfChange(): Promise<void> {
  // Where the page cannot be had, because it is being left or the line is away, the news has no detail.
  const drawn = await fetchPage(address).catch(() => null);
  const last = drawn?.querySelector('.timeline li p')?.textContent;
  offer('This order has changed. Show');
  if (last) say(`This order has changed: ${last}`);
}

function onViewers({ data }: MessageEvent<string>): void {
  const names = JSON.parse(data) as string[];
  const line = document.getElementById('viewers');
  if (!line) return;
  const [one, ...others] = names;
  const last = others.pop();
  const who = last === undefined ? one : `${[one, ...others].join(', ')} and ${last}`;
  const text = one === undefined ? '' : `${who} ${last === undefined ? 'is' : 'are'} viewing this.`;
  if (line.textContent !== text) line.textContent = text;
}

function listen(): void {
  if (source || document.hidden || isIdle()) return;
  const query = order ? `?order=${encodeURIComponent(order.dataset.order ?? '')}` : '';
  source = new EventSource(`/staff/changes${query}`);
  if (list) {
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
      const { number } = JSON.parse(data) as { number: number };
      if (number > seen) redrawSoon();
    });
  }
  if (order) {
    source.addEventListener('order', onOrder);
    source.addEventListener('viewers', onViewers);
  }
}

function stopListening(): void {
  source?.close();
  source = undefined;
}

function touched(): void {
  const wasIdle = isIdle();
  lastTouch = performance.now();
  if (wasIdle) listen();
}

if (list || order) {
  listen();
  for (const kind of ['pointerdown', 'pointermove', 'keydown', 'scroll']) {
    document.addEventListener(kind, touched, { passive: true });
  }
  // A page that nobody sees keeps no connection: a browser has six of them for all its pages.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) stopListening();
    else {
      listen();
      if (list) redrawSoon();
    }
  });
  window.addEventListener('pagehide', stopListening);
  window.addEventListener('pageshow', listen);
  setInterval(() => {
    if (isIdle()) stopListening();
    else if (list && !document.hidden) redrawSoon();
  }, REDRAWING);
}
