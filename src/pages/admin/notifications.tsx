import type { StaffCaller } from '../../access/caller.js';
import type { Channel } from '../../notifications/channels/channel.js';
import { isAboutOrder } from '../../notifications/email-texts.js';
import type { MessageState, OutboxMessage } from '../../notifications/outbox-message.entity.js';
import { messageStates } from '../../notifications/outbox-message.entity.js';
import { AdminLayout } from './admin-layout.js';
import { Empty, Notice, Time } from '../shell/parts.js';
import type { FlashMessage } from '../shell/flash-messages.js';
import { Table } from '../shell/table.js';

export interface NotificationsProps {
  readonly viewer: StaffCaller;
  readonly state: MessageState;
  readonly messages: readonly OutboxMessage[];
  readonly counts: Partial<Record<MessageState, number>>;
  readonly channels: readonly Channel[];
  readonly now: Date;
  readonly destinations: ReadonlyMap<string, string>;
  readonly said?: FlashMessage | null;
  readonly noneChosen?: boolean;
  /** Those that were chosen, where one of them is no longer what it was when the list was shown. */
  readonly changed?: readonly string[];
}

const names: Readonly<Record<MessageState, string>> = {
  waiting: 'Waiting',
  dead: 'Dead letters',
  delivered: 'Delivered',
  discarded: 'Discarded',
};

const empty: Readonly<Record<MessageState, string>> = {
  waiting: 'Nothing waits: everybody has been told.',
  dead: 'There are no dead letters.',
  delivered: 'Nothing was delivered in the last 30 days.',
  discarded: 'Nothing was discarded in the last 30 days.',
};

export const MOST_MESSAGES = 100;

export function NotificationsPage(props: NotificationsProps) {
  const { viewer, state, messages, counts, channels, said, noneChosen, changed } = props;
  const count = counts[state] ?? 0;
  const title = `${names[state]} ${count}`;
  return (
    <AdminLayout title={title} viewer={viewer} here="notifications" said={said}>
      {noneChosen && <Notice kind="bad" title="Choose at least one message." />}
      {changed && (
        <Notice
          kind="bad"
          title="Nothing was done: a message that you chose has changed meanwhile."
        >
          <p>
            It was delivered, or somebody else has dealt with it. This is the list as it is now;
            what you chose is still ticked where it is still here.
          </p>
        </Notice>
      )}
      {channels.map((channel) => (
        <ChannelWarnings channel={channel} />
      ))}
      <nav class="states" aria-label="States of notifications">
        <ul class="bare">
          {messageStates.map((one) => (
            <li>
              <a
                href={`/staff/notifications?state=${one}`}
                aria-current={one === state ? 'page' : undefined}
              >
                {`${names[one]} ${counts[one] ?? 0}`}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {messages.length === 0 ? <Empty title={empty[state]} /> : <Messages {...props} />}
      {count > messages.length && <p class="hint">{`The newest ${messages.length} are shown.`}</p>}
    </AdminLayout>
  );
}

function Messages({ state, messages, now, destinations, changed }: NotificationsProps) {
  const canResend = state !== 'delivered';
  const canDiscard = state === 'waiting' || state === 'dead';
  return (
    <form method="post" action="/staff/notifications">
      <input type="hidden" name="state" value={state} />
      <Table
        caption={`${names[state]}, newest first`}
        rows={messages}
        columns={[
          canResend && {
            name: <span class="unseen">Choose</span>,
            of: ({ id, kind, subjectId }) => (
              <input
                type="checkbox"
                name="id"
                value={id}
                checked={changed?.includes(id)}
                aria-label={`Choose ${kind} of ${subjectId}`}
              />
            ),
          },
          {
            name: 'What',
            of: (message) => (
              <>
                {message.kind}
                <div class="muted">{destinations.get(message.id)}</div>
              </>
            ),
            heads: true,
          },
          { name: 'About', of: (message) => <About message={message} /> },
          { name: 'Made', of: ({ createdAt }) => <Time at={createdAt} now={now} /> },
          { name: 'Attempts', of: ({ attempts }) => attempts, class: 'number' },
          {
            name: state === 'waiting' ? 'Next attempt' : 'Ended',
            of: ({ dueAt, finishedAt }) => (
              <Time at={state === 'waiting' ? dueAt : (finishedAt ?? dueAt)} now={now} />
            ),
          },
          { name: 'Last error', of: ({ lastError }) => lastError ?? '', class: 'details' },
        ]}
      />
      {canResend && (
        <p class="actions">
          <button type="submit" name="do" value="resend" class="primary">
            Send the chosen again
          </button>
          {canDiscard && (
            <button type="submit" name="do" value="discard" class="danger">
              Discard the chosen
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

function About({ message: { kind, subjectId } }: { message: OutboxMessage }) {
  const isId = subjectId.length === 36;
  const text = <code class="id">{isId ? `…${subjectId.slice(-8)}` : subjectId}</code>;
  if (!isId || !isAboutOrder(kind)) return text;
  return (
    <a href={`/staff/orders/${encodeURIComponent(subjectId)}`}>
      <span class="unseen">order </span>
      {text}
    </a>
  );
}
