import type { StaffCaller } from '../../access/caller.js';
import type { ViewCounts } from '../../follow-up/queue/counts.service.js';
import { orderForms } from '../order/order-forms.js';
import { Layout } from './layout.js';
import type { Preferences } from './preferences.js';
import type { FlashMessage } from './flash-messages.js';

type KeyGroup = readonly [
  caption: string,
  keys: readonly (readonly [keys: string, does: string])[],
];

const keyboard: readonly KeyGroup[] = [
  [
    'Everywhere',
    [
      ['?', 'Show this help'],
      ['/', 'Search'],
      ['n', 'Take the next order'],
      ['z', 'Undo the last change, for ten seconds'],
      ['g q', 'Go to the queue'],
      ['g m', 'Go to my orders'],
      ['p', 'Check a postcode'],
      ['Esc', 'Close a dialog'],
    ],
  ],
  [
    'In a list',
    [
      ['j', 'Next row'],
      ['k', 'Previous row'],
      ['Enter', 'Open the order'],
    ],
  ],
  [
    'In the call panel of an order',
    [
      ['1 2 3 4 5', 'Outcome: spoke to them, no answer, left voicemail, emailed, wrong details'],
      ['i', 'Next step in 1 working hour'],
      ['t', 'Next step on the next working day'],
      ['d', 'Next step on another day: then the digits of day and time'],
      ['s', 'Next step at a time that you pick'],
      ['w', 'Won'],
      ['l', 'Lost: then the digit of the reason'],
      ['e', 'Note'],
      ['Ctrl Enter', 'Save'],
      ['Ctrl Shift Enter', 'Save and take the next order'],
    ],
  ],
  [
    'For an order, on its page or on its row',
    orderForms.flatMap(({ key, title }) => (key === undefined ? [] : [[key, title] as const])),
  ],
];

interface KeysPageProps {
  readonly viewer: StaffCaller;
  readonly counts: ViewCounts;
  readonly preferences: Preferences;
  readonly said: FlashMessage | null;
}

/** The keyboard shortcuts, and a button that turns them on or off. */
export function KeysPage({ viewer, counts, preferences, said }: KeysPageProps) {
  const { keys } = preferences;
  return (
    <Layout title="Keyboard" viewer={viewer} counts={counts} width="narrow" said={said}>
      <div data-dialog-form>
        <p class="intro">
          {keys
            ? 'Shortcuts do nothing while you type, or hold Ctrl, Alt or Cmd.'
            : 'Keyboard shortcuts are off. Tab, Enter and Esc still work.'}
        </p>
        {keyboard.map(([caption, rows]) => (
          <table class="keys">
            <caption>{caption}</caption>
            <tbody>
              {rows.map(([pressed, does]) => (
                <tr>
                  <th scope="row">
                    {pressed.split(' ').map((one, i) => (
                      <>
                        {i > 0 && ' '}
                        <kbd>{one}</kbd>
                      </>
                    ))}
                  </th>
                  <td>{does}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
        <form method="post" action="/staff/keys" class="actions">
          <button type="submit" name="keys" value={keys ? 'off' : 'on'}>
            {keys ? 'Turn off shortcuts' : 'Turn on shortcuts'}
          </button>
        </form>
      </div>
    </Layout>
  );
}
