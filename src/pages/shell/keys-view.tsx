import type { StaffCaller } from '../../access/caller.js';
import type { ViewCounts } from '../../follow-up/queue/counts.service.js';
import { Flash } from './flash.js';
import { orderForms } from '../order/order-forms.js';
import { Layout } from './layout.js';
import type { Preferences } from './preferences.js';
import type { FlashMessage } from './flash-messages.js';

interface KeyGroup {
  readonly name: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}

const keyboard: readonly KeyGroup[] = [
  {
    name: 'Everywhere',
    keys: [
      ['?', 'Show this help'],
      ['/', 'Search'],
      ['n', 'Take the next order'],
      ['g q', 'Go to the queue'],
      ['g m', 'Go to mine'],
      ['Esc', 'Close a dialog'],
    ],
  },
  {
    name: 'In a list',
    keys: [
      ['j', 'Next row'],
      ['k', 'Row before'],
      ['Enter', 'Open the order'],
    ],
  },
  {
    name: 'For an order, on its page or on its row',
    keys: orderForms.flatMap(({ key, title }) => (key === undefined ? [] : [[key, title]])),
  },
];

interface KeysPageProps {
  readonly viewer: StaffCaller;
  readonly counts: ViewCounts;
  readonly preferences: Preferences;
  readonly said: FlashMessage | null;
}

/** What each key does, and the switch for those who do not want it. */
export function KeysPage({ viewer, counts, preferences, said }: KeysPageProps) {
  const { keys } = preferences;
  return (
    <Layout title="Keyboard" viewer={viewer} counts={counts} width="narrow">
      <Flash said={said} />
      <div data-dialog-form>
        <p class="intro">
          {keys
            ? 'Keys do nothing while you type, or hold Ctrl, Alt or Cmd.'
            : 'Single keys are switched off. Tab, Enter and Esc work as everywhere.'}
        </p>
        {keyboard.map(({ name, keys: rows }) => (
          <table class="keys">
            <caption>{name}</caption>
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
        <form method="post" action="/staff/keys" class="form-end">
          <button type="submit" name="keys" value={keys ? 'off' : 'on'}>
            {keys ? 'Switch single keys off' : 'Switch single keys on'}
          </button>
        </form>
      </div>
    </Layout>
  );
}
