import type { StaffCaller } from '../../platform/access/caller.js';
import { headingOf, inWords, labelledFields } from '../../catalogue/content/offers.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import type { StaffOffer } from '../staff/follow-up.dto.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { OrderFormPage } from '../staff/order-form-page.js';
import { Notice } from '../../platform/ui/parts.js';
import { Facts } from '../../platform/ui/table.js';
import { longTime } from '../../platform/kernel/time-words.js';
import { totalFact, WantedHere } from './offers-view.js';

interface AnswerCheckPageProps {
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  /** As they would be stored. */
  readonly offers: readonly StaffOffer[];
  /** The fields of the form. */
  readonly typed: Readonly<Record<string, string>>;
}

/** Shows an answer with its totals before it is sent. */
export function AnswerCheckPage({ viewer, enquiry, offers, typed }: AnswerCheckPageProps) {
  const { reference } = enquiry;
  const isAwaiting = offers.some(({ approvalReason }) => approvalReason !== null);
  const what = offers.length === 1 ? 'offer' : `${offers.length} offers`;
  return (
    <OrderFormPage title="Check before you send" {...{ viewer, order: enquiry }}>
      <WantedHere {...enquiry} />
      {isAwaiting && (
        <Notice kind="soon" title="A manager has to approve this first">
          <p>The client sees nothing until then.</p>
        </Notice>
      )}
      {offers.map(({ product, validUntil, note, ...offer }) => (
        <article class="bespoke">
          <h2>{product.name}</h2>
          <Facts
            of={[
              ...labelledFields().map(
                (field) => [headingOf(field), inWords(field, product)] as const,
              ),
              totalFact({ ...offer, product }),
              ['Valid until', longTime(validUntil)],
              note !== null && ['Note to the client', note],
            ]}
          />
        </article>
      ))}
      <PostForm
        action={`/staff/orders/${reference}/answer`}
        hidden={{ ...typed, checked: 'yes' }}
        button={
          <p class="actions">
            <button type="submit" class="primary" autofocus>
              {isAwaiting ? 'Send for approval' : `Send ${what}`}
            </button>
            <button type="submit" name="change" value="yes">
              Change
            </button>
          </p>
        }
      />
    </OrderFormPage>
  );
}
