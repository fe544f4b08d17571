import { SeeOther } from '../../http/written-html.js';
import type { Form } from '../forms/form.js';

/** What a page says once, after an action: a code in its address stands for a text of these. */
export interface Said {
  readonly text: string;
  /** The move that takes it back, where there is one. */
  readonly undo?: { readonly path: string; readonly label: string };
}

const reopen = { path: 'reopen', label: 'Reopen it' };

const texts = {
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

  'password-changed': { text: 'Your password is changed. Your other sessions have ended.' },
  'session-ended': { text: 'Ended.' },
  'second-factor-removed': { text: 'Your second factor is removed.' },

  'client-added': { text: 'The client is added. Issue its first token below.' },
  'client-enabled': { text: 'The client is enabled.' },
  'client-disabled': { text: 'The client is disabled.' },
  'client-limits': { text: 'The limits are set.' },
  'token-revoked': { text: 'The token is revoked: refused everywhere within 5 seconds.' },
  'webhook-enabled': { text: 'The webhook is enabled: what waits goes out from now on.' },
  'webhook-disabled': { text: 'The webhook is disabled.' },
  'member-added': { text: 'The member is added. Make a link for the first password below.' },
  'member-enabled': { text: 'The member is enabled.' },
  'member-disabled': { text: 'The member is disabled and signed out.' },
  'member-role': { text: 'The role is set. It holds from the next page on.' },
  'member-second-factor': {
    text: 'The second factor is forgotten, and the sessions have ended.',
  },
  'member-sessions': { text: 'The sessions have ended.' },
  'version-draft': { text: 'Stored as a draft. Nothing has changed for clients yet.' },
  'version-activated': {
    text: 'In service: here now, on other instances within about a second.',
  },
  'version-scheduled': { text: 'Scheduled: all instances switch at that instant.' },
  'version-withdrawn': { text: 'The schedule is withdrawn; the version is a draft again.' },
  'version-rolled-back': {
    text: 'The earlier content is in service again, under this new number.',
  },
  'message-resend': { text: 'One message is due again.' },
  'message-discard': { text: 'One message is discarded.' },
  'messages-resend': { text: '# messages are due again.' },
  'messages-discard': { text: '# messages are discarded.' },
} satisfies Readonly<Record<string, Said>>;

export type SaidCode = keyof typeof texts;

/** Null where the code stands for nothing: an address never brings a text of its own. */
export function saidBy(code: string): Said | null {
  return Object.hasOwn(texts, code) ? texts[code as SaidCode] : null;
}

/** What the address of a page says by its `said`, of as many things as its `count`. */
export function saidIn(query: Form): Said | null {
  const said = saidBy(query.text('said'));
  return said && { ...said, text: said.text.replace('#', String(query.number('count'))) };
}

/** Leads to a page of this service, without a query, which then says it. */
export function leadTo(path: string, said: SaidCode | null): SeeOther {
  return new SeeOther(said === null ? path : `${path}?said=${said}`);
}
