import type { ApiClient } from '../../clients/api-client.entity.js';
import type { Trouble } from '../../notifications/outbox-queue.service.js';
import type { ShownEndpoint } from '../../notifications/webhooks.service.js';
import { Time } from '../shell/parts.js';
import { WithReason } from './with-reason.js';

export interface WebhookView {
  readonly client: ApiClient;
  /** Null where the client has none. */
  readonly webhook: { readonly endpoint: ShownEndpoint; readonly trouble: Trouble } | null;
  readonly now: Date;
  /** Why it was not disabled, and what was typed. */
  readonly refusedWebhook?: { readonly fault: string; readonly reason: string };
}

/** Where a client is told of its orders, and what could not be told. */
export function Webhook({ client, webhook, now, refusedWebhook }: WebhookView) {
  if (!webhook) {
    return (
      <section>
        <h2>Webhook</h2>
        <p class="hint">
          None. The client registers one itself, with a token that has <code>orders:write</code>; or
          an operator does, with <code>webhooks add</code>.
        </p>
      </section>
    );
  }
  const { endpoint, trouble } = webhook;
  const { failed } = trouble;
  return (
    <section>
      <h2>Webhook</h2>
      <dl class="facts">
        <dt>Goes to</dt>
        <dd>{new URL(endpoint.url).host}</dd>
        <dt>State</dt>
        <dd>
          {endpoint.enabled ? (
            'Enabled'
          ) : (
            <span class="late">{`Disabled: ${endpoint.disabledReason ?? ''}`}</span>
          )}
        </dd>
        <dt>Undelivered</dt>
        <dd>
          {trouble.waiting + trouble.dead === 0
            ? 'Nothing: all was delivered.'
            : `${trouble.waiting} waiting, ${trouble.dead} dead ${trouble.dead === 1 ? 'letter' : 'letters'}`}
        </dd>
        {failed && (
          <>
            <dt>Last failure</dt>
            <dd>
              {`${failed.kind}, ${failed.attempts === 1 ? 'one attempt' : `${failed.attempts} attempts`}: ${failed.lastError ?? ''} `}
              <a href={`/staff/notifications?state=${failed.state}`}>Show</a>
              <span class="muted">
                {'. Made '}
                <Time at={failed.createdAt} now={now} />
              </span>
            </dd>
          </>
        )}
      </dl>
      {endpoint.enabled ? (
        <WithReason
          id="reason-webhook"
          action={`/staff/clients/${client.id}/webhook`}
          verb="Disable"
          what="the webhook"
          hint="What is due is then discarded. It can be enabled again; the client sees the reason."
          fields={{ enabled: 'no' }}
          refused={refusedWebhook}
        />
      ) : (
        <form method="post" action={`/staff/clients/${client.id}/webhook`}>
          <input type="hidden" name="enabled" value="yes" />
          <button type="submit">Enable the webhook</button>
        </form>
      )}
    </section>
  );
}
