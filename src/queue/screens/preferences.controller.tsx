import { Get, Post } from '@nestjs/common';
import { SeeOther } from '../../platform/http/written.js';
import { Config } from '../../platform/config/config.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { preferenceCookie, Preferred, type Preferences } from '../../platform/ui/preferences.js';
import { page } from '../../platform/ui/render.js';
import { FlashMessages, type FlashMessage } from '../../platform/ui/flash-messages.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { orderForms } from '../order/order-forms.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { type KeyGroup, keyGroups } from '../../platform/ui/key-table.js';
import { Layout } from '../../platform/ui/layout.js';

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
function KeysPage({ viewer, preferences, said }: KeysPageProps) {
  const { keys } = preferences;
  return (
    <Layout title="Keyboard" viewer={viewer} help="keyboard" width="narrow" said={said}>
      <div data-dialog-form>
        <p class="intro">
          {keys
            ? 'Shortcuts are off while you type or hold Ctrl, Alt or Cmd.'
            : 'Keyboard shortcuts are off. Tab, Enter, Esc and Ctrl+K still work.'}
        </p>
        {groups.map(({ caption, shortcuts }) => (
          <table class="keys">
            <caption>{caption}</caption>
            <tbody>
              {shortcuts.map(({ keys: pressed, does }) => (
                <tr>
                  <th scope="row">
                    {pressed.split(' ').map((key, i) => (
                      <>
                        {i > 0 && ' '}
                        <kbd>{key}</kbd>
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

const messages = new FlashMessages({
  'keys-on': 'Keyboard shortcuts are on.',
  'keys-off': 'Keyboard shortcuts are off.',
});

@StaffPages('staff', 'agent')
export class PreferencesController {
  constructor(private readonly config: Config) {}

  @Get('keys')
  showKeys(@Visited() { viewer, query }: Visit, @Preferred() preferences: Preferences) {
    return page(<KeysPage viewer={viewer} preferences={preferences} said={messages.in(query)} />);
  }

  @Post('keys')
  switchKeys(@Visited() { form, response }: Visit): SeeOther {
    const keys = form.text('keys') === 'off' ? 'off' : 'on';
    response.setHeader('Set-Cookie', preferenceCookie('keys', keys, this.config.publicUrl));
    return messages.redirect('/staff/keys', `keys-${keys}`);
  }

  @Post('rows')
  chooseRows(@Visited() { form, response }: Visit): SeeOther {
    const rows = form.text('rows') === 'compact' ? 'compact' : 'normal';
    response.setHeader('Set-Cookie', preferenceCookie('rows', rows, this.config.publicUrl));
    const back = form.text('back');
    return new SeeOther(/^\/staff\/queue(?:\?[\w=&%,.+-]*)?$/.test(back) ? back : '/staff/queue');
  }
}
