import { orderForms } from '../order/order-forms.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { type KeyGroup, keyGroups } from '../../platform/ui/key-table.js';
import { Layout } from '../../platform/ui/layout.js';
import type { Preferences } from '../../platform/ui/preferences.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';

const groups: readonly KeyGroup[] = [
  ...keyGroups,
  {
    caption: 'For an order, on its page or on its row',
    shortcuts: orderForms.flatMap(({ key, title }) =>
      key === undefined ? [] : [{ keys: key, does: title }],
    ),
  },
];

interface KeysPageProps {
  readonly viewer: StaffCaller;
  readonly preferences: Preferences;
  readonly said: FlashMessage | null;
}

/** The keyboard shortcuts, and a button that turns them on or off. */
export function KeysPage({ viewer, preferences, said }: KeysPageProps) {
  const { keys } = preferences;
  return (
    <Layout title="Keyboard" viewer={viewer} width="narrow" said={said}>
      <div data-dialog-form>
        <p class="intro">
          {keys
            ? 'Single keys do nothing while you type, or hold Ctrl, Alt or Cmd.'
            : 'Keyboard shortcuts are off. Tab, Enter, Esc and Ctrl+K still work.'}
        </p>
        {groups.map(({ caption, shortcuts }) => (
          <table class="keys">
            <caption>{caption}</caption>
            <tbody>
              {shortcuts.map(({ keys: pressed, does }) => (
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
