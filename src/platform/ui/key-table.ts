/** The keyboard shortcuts: the script of the keys acts by this table, and the help shows it, after it the keys of the moves. */

/** What a key does. Other keys press the button or link with their `data-key`, or belong to the browser. */
type KeyAct =
  | { readonly goes: string }
  | { readonly focuses: string }
  | { readonly row: 'next' | 'previous' | 'select' };

interface Shortcut {
  /** With a blank between the keys of a sequence. */
  readonly keys: string;
  readonly does: string;
  readonly act?: KeyAct;
}

export interface KeyGroup {
  readonly caption: string;
  readonly shortcuts: readonly Shortcut[];
}

export const keyGroups: readonly KeyGroup[] = [
  {
    caption: 'Everywhere',
    shortcuts: [
      { keys: '?', does: 'Show this help' },
      { keys: 'Ctrl K', does: 'Find any action or page by name' },
      { keys: '/', does: 'Search', act: { focuses: '#search' } },
      { keys: 'n', does: 'Take the next order' },
      { keys: 'z', does: 'Undo the last change, for ten seconds' },
      { keys: 'y', does: 'Stay signed in, when the page says that your session ends soon' },
      { keys: 'p', does: 'Check a postcode' },
      { keys: 'g q', does: 'Go to the queue', act: { goes: '/staff/queue' } },
      { keys: 'g m', does: 'Go to my orders', act: { goes: '/staff/queue?view=mine' } },
      { keys: 'g d', does: 'Go to my due calls', act: { goes: '/staff/queue?view=due&owner=me' } },
      { keys: 'Esc', does: 'Close a dialog, or leave the note of a call' },
    ],
  },
  {
    caption: 'In a list',
    shortcuts: [
      { keys: 'j', does: 'Next row', act: { row: 'next' } },
      { keys: 'k', does: 'Previous row', act: { row: 'previous' } },
      { keys: 'Enter', does: 'Open the order' },
      { keys: 'r', does: 'Record a call for the order of the row' },
      { keys: 'x', does: 'Select or deselect the row', act: { row: 'select' } },
      {
        keys: 'a',
        does: 'Assign or hand over the selected orders',
        act: { focuses: '.bulk select' },
      },
    ],
  },
  {
    caption: 'On the page of an order',
    shortcuts: [
      {
        keys: '1 2 3 4 5 6 7',
        does: 'Outcome: spoke to them, no answer, left voicemail, emailed, wrong details, meeting, waiting for supplier',
      },
      { keys: 'i', does: 'Next step in 1 working hour' },
      { keys: 't', does: 'Next step on the next working day' },
      { keys: 'd', does: 'Next step on another day: then the digits of day and time' },
      { keys: 's', does: 'Next step at a time that you pick' },
      { keys: 'w', does: 'Won' },
      { keys: 'l', does: 'Lost: then the digit of the reason' },
      { keys: 'e', does: 'Note' },
      { keys: 'Ctrl Enter', does: 'Save' },
      { keys: 'Ctrl Shift Enter', does: 'Save and take the next order' },
      { keys: 'o', does: 'Make an offer for the enquiry' },
      { keys: 'm', does: 'Propose an extra charge' },
      {
        keys: 'v',
        does: 'Delivery: then the digit of a milestone and Enter say that it is done today',
        act: { focuses: '.delivery input[name=milestone]' },
      },
    ],
  },
];

/** The table for the script, as JSON: what each key does. */
export const keyActs = JSON.stringify(
  Object.fromEntries(
    keyGroups.flatMap(({ shortcuts }) =>
      shortcuts.flatMap(({ keys, act }) => (act === undefined ? [] : [[keys, act] as const])),
    ),
  ),
);
