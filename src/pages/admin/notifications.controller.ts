import { Controller, Get, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { actorOf } from '../../audit/audit.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { Page } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { ChannelsService } from '../../notifications/channels.service.js';
import { type MessageState, messageStates } from '../../notifications/outbox-message.entity.js';
import { OutboxQueue } from '../../notifications/outbox-queue.service.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { MOST_MESSAGES, notificationsPage } from './notifications.js';
import { refusal } from './refusals.js';

/** What people and systems are told, and what could not be told. */
@Controller('staff/notifications')
@ApiExcludeController()
export class NotificationsPagesController {
  constructor(
    private readonly outbox: OutboxQueue,
    private readonly channels: ChannelsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Page('admin')
  async listNotifications(
    @Staff() viewer: StaffCaller,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    const view = await this.view(viewer, query.text('state'));
    const [verb, count] = [query.text('done'), query.number('count')];
    const done =
      verb === 'resend' || verb === 'discard'
        ? `${count === 1 ? 'One message is' : `${count} messages are`} ${verb === 'resend' ? 'due again' : 'discarded'}.`
        : undefined;
    return notificationsPage({ ...view, done });
  }

  @Post()
  @Page('admin')
  async changeNotifications(
    @Staff() viewer: StaffCaller,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const ids = form.all('id');
    const verb = form.text('do') === 'discard' ? 'discard' : 'resend';
    const state = form.text('state');
    if (ids.length === 0) {
      return notificationsPage({ ...(await this.view(viewer, state)), noneChosen: true });
    }
    // What a colleague has discarded since the list was drawn is not sent again by mistake.
    const seen = messageStates.find((one) => one === state);
    const refused = await refusal(() => this.outbox[verb](ids, actorOf(viewer), seen));
    if (refused) return notificationsPage({ ...(await this.view(viewer, state)), changed: ids });
    const fields = new URLSearchParams({ state, done: verb, count: String(ids.length) });
    return new SeeOther(`/staff/notifications?${fields.toString()}`);
  }

  private async view(viewer: StaffCaller, wanted: string) {
    const counts = await this.outbox.counts();
    const first: MessageState = counts.dead ? 'dead' : 'waiting';
    const state = messageStates.find((one) => one === wanted) ?? first;
    const messages = await this.outbox.list([state], MOST_MESSAGES);
    const destinations = await this.channels.describe(messages);
    const channels = this.channels.all;
    return { viewer, state, counts, messages, destinations, channels, now: this.clock.now() };
  }
}
