import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';
import { Get, Post } from '@nestjs/common';
import { AuditNamesService } from '../platform/audit/audit-names.service.js';
import { actorOf } from '../platform/audit/audit.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Clock } from '../platform/kernel/clock.js';
import { SeeOther } from '../platform/http/written.js';
import { ChannelsService } from '../platform/notifications/channels.service.js';
import {
  type MessageState,
  messageStates,
} from '../platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../platform/notifications/outbox.repository.js';
import { EndpointHealthService } from '../platform/notifications/endpoint-health.service.js';
import { page } from '../platform/ui/render.js';
import { FlashMessages } from '../platform/ui/flash-messages.js';
import { MOST_MESSAGES, NotificationsPage, subjectsOf } from './notifications.js';
import { attempt } from './refusals.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import { StaffPages } from '../platform/ui/staff-pages.js';

const messages = new FlashMessages({
  'message-resend': '1 message will be retried now.',
  'message-discard': '1 message discarded.',
  'messages-resend': '# messages will be retried now.',
  'messages-discard': '# messages discarded.',
});

@StaffPages('staff/notifications', 'admin')
export class NotificationsPagesController {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly channels: ChannelsService,
    private readonly endpoints: EndpointHealthService,
    private readonly kinds: EmailKindsService,
    private readonly names: AuditNamesService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async listNotifications(@Visited() { viewer, query }: Visit) {
    const view = await this.view(viewer, query.text('state'));
    return page(<NotificationsPage {...view} said={messages.in(query)} />);
  }

  @Post()
  async changeNotifications(@Visited() { viewer, form }: Visit) {
    const ids = form.all('id');
    const verb = form.text('do') === 'discard' ? 'discard' : 'resend';
    const state = form.text('state');
    if (ids.length === 0) {
      return page(<NotificationsPage {...await this.view(viewer, state)} noneChosen />, 422);
    }
    // A message that a colleague has discarded since is not sent again.
    const seen = messageStates.find((one) => one === state);
    const outcome = await attempt(() => this.outbox[verb](ids, actorOf(viewer), seen));
    if ('refused' in outcome) {
      return page(<NotificationsPage {...await this.view(viewer, state)} changed={ids} />, 409);
    }
    const said = `${ids.length === 1 ? 'message' : 'messages'}-${verb}`;
    const fields = new URLSearchParams({ state, said, count: String(ids.length) });
    return new SeeOther(`/staff/notifications?${fields.toString()}`);
  }

  private async view(viewer: StaffCaller, wanted: string) {
    const counts = await this.outbox.counts();
    const first: MessageState = counts.dead ? 'dead' : 'waiting';
    const state = messageStates.find((one) => one === wanted) ?? first;
    const messages = await this.outbox.list([state], MOST_MESSAGES);
    const destinations = await this.channels.describe(messages);
    const nameOfSubject = await this.names.of(subjectsOf(messages, this.kinds));
    const channels = this.channels.all;
    const paused = await this.endpoints.paused();
    const now = this.clock.now();
    const shown = { state, counts, messages, destinations, nameOfSubject, channels, paused };
    return { viewer, ...shown, kinds: this.kinds, now };
  }
}
