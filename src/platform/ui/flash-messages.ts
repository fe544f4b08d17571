import { SeeOther } from '../http/written.js';
import type { Form } from './forms/form.js';

/** A message that a page shows once, after an action. */
export interface FlashMessage {
  readonly text: string;
  /** What is true instead as soon as the action can no longer be undone. */
  readonly later?: string;
  /** The form that takes the action back. */
  readonly undo?: { readonly path: string; readonly label: string };
}

/** The messages of some pages, by code. An address holds the code, so it cannot set the text. */
export class FlashMessages<Code extends string> {
  constructor(private readonly texts: Readonly<Partial<Record<Code, string | FlashMessage>>>) {}

  /** The message whose code is `said` in a page's address, with `count` for its `#`; null for an unknown code. */
  in(query: Form): FlashMessage | null {
    const code = query.text('said');
    const texts: Readonly<Partial<Record<string, string | FlashMessage>>> = this.texts;
    const found = Object.hasOwn(texts, code) ? texts[code] : undefined;
    if (found === undefined) return null;
    const message = typeof found === 'string' ? { text: found } : found;
    return { ...message, text: message.text.replace('#', String(query.number('count'))) };
  }

  /**
   * Redirects to a path without a query, which then shows the message.
   * @param saved the name of the draft that is saved now
   */
  redirect(path: string, code: Code | null, saved?: string): SeeOther {
    if (code === null) return new SeeOther(path);
    const draft = saved === undefined ? '' : `&saved=${encodeURIComponent(saved)}`;
    return new SeeOther(`${path}?said=${code}${draft}`);
  }
}
