/** What a page says once, after an action: a code in its address stands for a text of these. */
export interface Said {
  readonly text: string;
  /** The move that takes it back, where there is one. */
  readonly undo?: { readonly path: string; readonly label: string };
}

const reopen = { path: 'reopen', label: 'Reopen it' };

const texts: Readonly<Record<string, Said>> = {
  claimed: { text: 'You have this order now.', undo: { path: 'release', label: 'Give it back' } },
  'taken-call-back': { text: 'Your call-back is due. This order is yours already.' },
  'taken-late': {
    text: 'You have this order now. It is late: contact the client first.',
    undo: { path: 'release', label: 'Give it back' },
  },
  'taken-nearly-late': {
    text: 'You have this order now. Its first contact is due soon.',
    undo: { path: 'release', label: 'Give it back' },
  },
  'taken-waiting': {
    text: 'You have this order now. It has waited longest.',
    undo: { path: 'release', label: 'Give it back' },
  },
  'nothing-to-take': { text: 'Nothing waits, and no call-back of yours is due.' },
  contact: { text: 'The contact is in the timeline.' },
  schedule: {
    text: 'It comes back to you at that time.',
    undo: { path: 'resume', label: 'Resume it now' },
  },
  resume: { text: 'You work on this order again.' },
  'hand-over': { text: 'It is handed over, with your note.' },
  assign: { text: 'It is assigned.' },
  release: { text: 'It is back in the queue, at its old place.' },
  win: { text: 'Closed as won.', undo: reopen },
  lose: { text: 'Closed as lost.', undo: reopen },
  cancel: { text: 'It is cancelled; its client can see that.', undo: reopen },
  duplicate: { text: 'Closed as a duplicate.', undo: reopen },
  reopen: { text: 'It is open again.' },
  note: { text: 'The note is in the timeline.' },
  'keys-on': { text: 'Single keys do things again.' },
  'keys-off': { text: 'Single keys do nothing now.' },
};

/** Null where the code stands for nothing: an address never brings a text of its own. */
export function saidBy(code: string): Said | null {
  return Object.hasOwn(texts, code) ? (texts[code] ?? null) : null;
}
