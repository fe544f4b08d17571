import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';
import { Get, Post } from '@nestjs/common';
import { AuditNamesService, type SubjectNames } from '../platform/audit/audit-names.service.js';
import { actorOf } from '../platform/audit/audit.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Clock } from '../platform/kernel/clock.js';
import { SeeOther } from '../platform/http/written.js';
import { ChannelsService } from '../platform/notifications/channels.service.js';
import {
  type MessageState,
  messageStates,
  type OutboxMessage,
} from '../platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../platform/notifications/outbox.repository.js';
import {
  EndpointHealthService,
  type PausedEndpoint,
} from '../platform/notifications/endpoint-health.service.js';
import { page } from '../platform/ui/render.js';
import { FlashMessages, type FlashMessage } from '../platform/ui/flash-messages.js';
import { attempt } from './refusals.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import type { Channel } from '../platform/notifications/channel.js';
import { isUuid } from '../platform/kernel/uuid.js';
import { AdminLayout, ShortId } from './admin-layout.js';
import { Empty, Notice, Time } from '../platform/ui/parts.js';
import { Table } from '../platform/ui/table.js';
import { failureWords } from '../platform/notifications/message-words.js';

/** Why a delivery failed, in plain words; the text of the error is below them. */
export function FailureText({ error }: { error: string | null }) {
  if (!error) return null;
  const words = failureWords(error);
  if (words === null) return <div>{error}</div>;
  return (
    <>
      <div>{words}</div>
      <details class="raw">
        <summary>Details</summary>
        {error}
      </details>
    </>
  );
}

type MessageKinds = Pick<EmailKindsService, 'nameOf' | 'aboutOf'>;

interface NotificationsProps {
  readonly viewer: StaffCaller;
  readonly state: MessageState;
  readonly messages: readonly OutboxMessage[];
  readonly counts: Partial<Record<MessageState, number>>;
  readonly channels: readonly Channel[];
  readonly paused: readonly PausedEndpoint[];
  readonly now: Date;
  readonly destinations: ReadonlyMap<string, string>;
  readonly nameOfSubject: SubjectNames;
  readonly kinds: MessageKinds;
  readonly said?: FlashMessage | null;
  readonly noneChosen?: boolean;
  /** The selected messages, if one of them has changed since the page was shown. */
  readonly changed?: readonly string[];
}

const inWords: Readonly<Record<MessageState, { name: string; empty: string }>> = {
  waiting: { name: 'Waiting', empty: 'Nothing to send.' },
  dead: { name: 'Failed', empty: 'No message has failed.' },
  delivered: { name: 'Delivered', empty: 'No message was delivered in the last 30 days.' },
  discarded: { name: 'Discarded', empty: 'No message was discarded in the last 30 days.' },
};

export const MOST_MESSAGES = 100;

export function NotificationsPage(props: NotificationsProps) {
  const { viewer, state, messages, counts, channels, paused, now } = props;
  const { said, noneChosen, changed } = props;
  const count = counts[state] ?? 0;
  const title = `Notifications: ${count} ${inWords[state].name.toLowerCase()}`;
  return (
    <AdminLayout title={title} viewer={viewer} here="notifications" said={said}>
      {noneChosen && <Notice kind="bad" title="Select at least one message." />}
      {changed && (
        <Notice
          kind="bad"
          title="Nothing was changed: a selected message has changed since you opened the page."
        >
          <p>
            It was delivered, or a colleague has dealt with it. This is the current list, with your
            selection.
          </p>
        </Notice>
      )}
      {channels.map((channel) => (
        <ChannelWarnings channel={channel} />
      ))}
      {paused.length > 0 && <PausedWebhooks paused={paused} now={now} />}
      <nav aria-label="States of notifications">
        <ul class="bare tabs">
          {messageStates.map((one) => (
            <li>
              <a
                href={`/staff/notifications?state=${one}`}
                aria-current={one === state ? 'page' : undefined}
              >
                {`${inWords[one].name} ${counts[one] ?? 0}`}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {messages.length === 0 ? <Empty title={inWords[state].empty} /> : <Messages {...props} />}
      {count > messages.length && <p class="hint">{`Showing the newest ${messages.length}.`}</p>}
    </AdminLayout>
  );
}

function Messages(props: NotificationsProps) {
  const { state, messages, now, destinations, nameOfSubject, kinds, changed } = props;
  const canResend = state !== 'delivered';
  const canDiscard = state === 'waiting' || state === 'dead';
  return (
    <form method="post" action="/staff/notifications">
      <input type="hidden" name="state" value={state} />
      <Table
        caption={`${inWords[state].name}, newest first`}
        rows={messages}
        columns={[
          canResend && {
            name: <span class="unseen">Select</span>,
            of: ({ id, ...message }) => (
              <input
                type="checkbox"
                name="id"
                value={id}
                checked={changed?.includes(id)}
                aria-label={`Select ${kinds.nameOf(message.kind)} of ${nameIn(message, nameOfSubject, kinds) ?? message.subjectId}`}
              />
            ),
          },
          {
            name: 'Message',
            of: (message) => (
              <>
                {kinds.nameOf(message.kind)}
                <div class="muted">{destinations.get(message.id)}</div>
              </>
            ),
            heads: true,
          },
          {
            name: 'About',
            of: (message) => (
              <About message={message} nameOfSubject={nameOfSubject} kinds={kinds} />
            ),
          },
          { name: 'Created', of: ({ createdAt }) => <Time at={createdAt} now={now} /> },
          { name: 'Attempts', of: ({ attempts }) => attempts, class: 'number' },
          {
            name: state === 'waiting' ? 'Next attempt' : 'Ended',
            of: ({ dueAt, finishedAt }) => (
              <Time at={state === 'waiting' ? dueAt : (finishedAt ?? dueAt)} now={now} />
            ),
          },
          {
            name: 'Last error',
            of: ({ lastError }) => <FailureText error={lastError} />,
            class: 'details',
          },
        ]}
      />
      {canResend && (
        <p class="actions">
          <button type="submit" name="do" value="resend" class="primary">
            Retry selected
          </button>
          {canDiscard && (
            <button type="submit" name="do" value="discard" class="danger">
              Discard selected
            </button>
          )}
        </p>
      )}
    </form>
  );
}

function ChannelWarnings({ channel }: { channel: Channel }) {
  const { enabled, label } = channel;
  const warnings = channel.warnings();
  if (warnings.length === 0) return null;
  const title = enabled ? `${label} is not set up completely.` : `${label} is switched off.`;
  return (
    <Notice kind="soon" title={title}>
      {warnings.map((warning) => (
        <p>{warning}</p>
      ))}
    </Notice>
  );
}

function PausedWebhooks({ paused, now }: Pick<NotificationsProps, 'paused' | 'now'>) {
  const title =
    paused.length === 1 ? 'A webhook is paused.' : `${paused.length} webhooks are paused.`;
  return (
    <Notice kind="soon" title={title}>
      <p>It has failed for a day, so it gets one attempt an hour.</p>
      <ul>
        {paused.map(({ clientId, url, pausedAt }) => (
          <li>
            <a href={`/staff/clients/${clientId ?? ''}`}>{new URL(url).host}</a>
            {pausedAt && (
              <>
                {', since '}
                <Time at={pausedAt} now={now} />
              </>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

type AboutMessage = Pick<OutboxMessage, 'kind' | 'subjectId'>;

/** The reference of the order, or the name of the token. */
function nameIn(
  { kind, subjectId }: AboutMessage,
  nameOf: SubjectNames,
  kinds: MessageKinds,
): string | undefined {
  const type = kinds.aboutOf(kind);
  return (
    nameOf(type, subjectId) ?? (type === 'order' ? nameOf('test-order', subjectId) : undefined)
  );
}

/** The subjects whose names the page needs. */
export function subjectsOf(messages: readonly OutboxMessage[], kinds: MessageKinds) {
  return messages.flatMap(({ kind, subjectId }) => {
    const type = kinds.aboutOf(kind);
    const types = type === 'order' ? ['order', 'test-order'] : [type];
    return types.map((subjectType) => ({ subjectType, subjectId }));
  });
}

function About({
  message,
  nameOfSubject,
  kinds,
}: Pick<NotificationsProps, 'nameOfSubject' | 'kinds'> & { message: OutboxMessage }) {
  const { kind, subjectId } = message;
  const type = kinds.aboutOf(kind);
  const text = nameIn(message, nameOfSubject, kinds) ?? <ShortId id={subjectId} />;
  if (type === 'token')
    return (
      <>
        {'Token '}
        {text}
      </>
    );
  if (type === 'quote') return <a href={`/staff/quotes/${subjectId}`}>Quote {text}</a>;
  if (type !== 'order' || !isUuid(subjectId)) return <>{text}</>;
  if (nameOfSubject('test-order', subjectId) !== undefined)
    return (
      <>
        {'Test order '}
        {text}
      </>
    );
  return (
    <a href={`/staff/orders/${encodeURIComponent(subjectId)}`}>
      <span class="unseen">order </span>
      {text}
    </a>
  );
}

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
