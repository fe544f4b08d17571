import { Get, Post } from '@nestjs/common';
import { SeeOther } from '../../platform/http/written-html.js';
import { Config } from '../../platform/config/config.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { KeysPage } from './keys-view.js';
import { preferenceCookie, Preferred, type Preferences } from '../../platform/ui/preferences.js';
import { page } from '../../platform/ui/render.js';
import { FlashMessages } from '../../platform/ui/flash-messages.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';

const messages = new FlashMessages({
  'keys-on': 'Keyboard shortcuts are on.',
  'keys-off': 'Keyboard shortcuts are off.',
});

@StaffPages('staff', 'agent')
export class PreferencesController {
  constructor(private readonly config: Config) {}

  @Get('keys')
  showKeys(@Visited() { viewer, query }: Visit, @Preferred() preferences: Preferences) {
    return page(<KeysPage {...{ viewer, preferences, said: messages.in(query) }} />);
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
