import type { ApiClient } from '../../clients/api-client.entity.js';
import type { UndeliveredMessages } from '../../notifications/outbox.repository.js';
import type { ShownEndpoint } from '../../notifications/webhooks.service.js';
import type { RefusedForm } from '../forms/form-spec.js';
import { PostForm } from '../forms/form-view.js';
import { Time } from '../shell/parts.js';
import { Facts, Section } from '../shell/table.js';
import { WithReason } from './with-reason.js';

export interface WebhookProps {
  readonly client: ApiClient;
  readonly webhook: {
    readonly endpoint: ShownEndpoint;
    readonly trouble: UndeliveredMessages;
  } | null;
  readonly now: Date;
  readonly refused?: RefusedForm;
}

/** Where the events of a client's orders are posted, and which could not be delivered. */
export function Webhook({ client, webhook, now, refused }: WebhookProps) {
  if (!webhook) {
    return (
      <Section title="Webhook">
        <p class="hint">
          None. The client registers one itself, with a token that has <code>orders:write</code>; or
          an operator does, with <code>webhooks add</code>.
        </p>
      </Section>
    );
  }
  const { endpoint, trouble } = webhook;
  const { failed, waiting, dead } = trouble;
  const action = `/staff/clients/${client.id}/webhook`;
  return (
    <Section title="Webhook">
      <Facts
        of={[
          ['Goes to', new URL(endpoint.url).host],
          [
            'State',
            endpoint.enabled ? (
              'Enabled'
            ) : (
              <span class="late">{`Disabled: ${endpoint.disabledReason ?? ''}`}</span>
            ),
          ],
          [
            'Undelivered',
            waiting + dead === 0
              ? 'Nothing: all was delivered.'
              : `${waiting} waiting, ${dead} dead ${dead === 1 ? 'letter' : 'letters'}`,
          ],
          failed !== null && ['Last failure', <Failure failed={failed} now={now} />],
        ]}
      />
      {endpoint.enabled ? (
        <WithReason
          at="webhook"
          action={action}
          verb="Disable"
          what="the webhook"
          hint="What is due is then discarded. It can be enabled again; the client sees the reason."
          hidden={{ enabled: 'no' }}
          refused={refused}
        />
      ) : (
        <PostForm action={action} hidden={{ enabled: 'yes' }} button="Enable the webhook" />
      )}
    </Section>
  );
}

function Failure({
  failed,
  now,
}: {
  failed: NonNullable<UndeliveredMessages['failed']>;
  now: Date;
}) {
  const attempts = failed.attempts === 1 ? 'one attempt' : `${failed.attempts} attempts`;
  return (
    <>
      {`${failed.kind}, ${attempts}: ${failed.lastError ?? ''} `}
      <a href={`/staff/notifications?state=${failed.state}`}>Show</a>
      <span class="muted">
        {'. Made '}
        <Time at={failed.createdAt} now={now} />
      </span>
    </>
  );
}
