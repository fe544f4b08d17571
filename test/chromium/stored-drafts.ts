import type { Seat } from '../support/browser.js';

/** The keys of the drafts of all members in the seat's browser. */
export function storedDrafts({ page }: Seat): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('draft')));
}

/** Makes the drafts in the seat's browser older. */
export function makeOlder({ page }: Seat, hours: number): Promise<void> {
  return page.evaluate((time) => {
    for (const [key, value] of Object.entries(localStorage)) {
      const draft = JSON.parse(String(value)) as { at: number };
      localStorage.setItem(key, JSON.stringify({ ...draft, at: draft.at - time }));
    }
  }, hours * 3_600_000);
}
