// The drafts in the storage of this browser. Also runs on the pages before the sign-in: a draft that is a day old
// goes where no one signs in, too.

/** Milliseconds. */
const KEEP = 24 * 3_600_000;
/** Milliseconds between two checks of a page that stays open. */
const CHECK = 3_600_000;
const PREFIX = 'draft ';

export interface Draft {
  readonly at: number;
  /** Name and value of each control; of radio buttons, the chosen one. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The version of the order that the member saw. */
  readonly version: string;
  /** The first values of a form that replaces them, as JSON. */
  readonly seen?: string | undefined;
  /** Of the form, for the list of drafts on other pages. */
  readonly title?: string;
  /** It was sent with the button of this value, but the service has not said that it is saved. */
  readonly sent?: string;
}

/** The signed-in member. */
const member = document.body.dataset.member;

export const now = () => performance.timeOrigin + performance.now();

/** The key of the member's draft of a form. */
export const keyOf = (name: string) => `${PREFIX}${member ?? ''} ${name}`;

export function read(key: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Draft | null;
  } catch {
    return null;
  }
}

export function write(key: string, draft: Draft): void {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // The storage is full or forbidden: the form works without drafts.
  }
}

/** The drafts of all members. */
function allKeys(): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
}

/** The drafts of the member. */
export function ownKeys(): string[] {
  return allKeys().filter((key) => key.startsWith(keyOf('')));
}

function removeIf(isMeant: (key: string) => boolean): void {
  for (const key of allKeys()) if (isMeant(key)) localStorage.removeItem(key);
}

/** Removes the drafts of all members. */
export function removeAll(): void {
  removeIf(() => true);
}

function removeOld(): void {
  removeIf((key) => now() - (read(key)?.at ?? 0) > KEEP);
}

removeOld();
setInterval(removeOld, CHECK);
if (member !== undefined) removeIf((key) => !key.startsWith(keyOf('')));
