import type { StaffCaller } from '../../platform/access/caller.js';
import { shortDay, shortTime } from '../../platform/kernel/time-words.js';
import { Chips } from '../../platform/ui/forms/fields.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { Notice, TimeElement } from '../../platform/ui/parts.js';
import { Facts, Section, Table } from '../../platform/ui/table.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { riskInWords } from './delivery-risk.js';
import { milestoneNames, waitedInWords, waitingPartyNames } from '../record/milestones.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import { isTheirs } from '../staff/order-actions.service.js';
import { costInWords, type DeliveredOrder } from './delivery-form.js';

interface DeliveryProps {
  readonly order: FollowUpOrder;
  readonly viewer: StaffCaller;
  readonly now: Date;
}

/** What happens after the order was accepted, and the keys that say that a milestone is done today. */
export function Delivery({ order, now }: DeliveryProps) {
  const { delivery, reference } = order;
  if (delivery === null) return null;
  const { acceptedOn, promisedOn, committedDate, dateChanges, milestones, waitingFor, serviceId } =
    delivery;
  const isUnderWay = order.state === 'won' && delivery.liveOn === null;
  const day = (date: string | null) => (date === null ? '' : shortDay(date, now));
  const earlier = dateChanges.flatMap(({ from }) => (from === null ? [] : [day(from)]));
  const dated = milestones.filter(({ plannedFor, doneOn }) => plannedFor ?? doneOn);
  const others = milestones.filter((milestone) => !dated.includes(milestone));
  const waits = waitedInWords(delivery.waited);
  const changeLink = (
    <a class="button" href={`/staff/orders/${reference}/delivery`} data-dialog>
      Change delivery
    </a>
  );
  return (
    <Section id="delivery" title="Delivery" class="delivery">
      <Facts
        of={[
          ['Accepted', day(acceptedOn)],
          ['Promised', day(promisedOn)],
          [
            'Committed date',
            `${committedDate === null ? 'none yet' : day(committedDate)}${earlier.length > 0 ? `, before: ${earlier.join(', ')}` : ''}`,
          ],
          waitingFor !== null && [
            'Waiting for',
            <>
              {`${waitingPartyNames[waitingFor.party]}: ${waitingFor.what} `}
              <small>
                {'since '}
                <TimeElement at={waitingFor.since}>{shortTime(waitingFor.since, now)}</TimeElement>
                {delivery.remindedAt && `, reminded ${shortTime(delivery.remindedAt, now)}`}
              </small>
            </>,
          ],
          waits !== '' && ['Has waited', waits],
          delivery.cancellation != null && ['Cancelling', costInWords(delivery.cancellation)],
          serviceId !== null && ['Service id', serviceId],
          delivery.liveOn !== null && ['Live', day(delivery.liveOn)],
        ]}
      />
      {dated.length > 0 && (
        <Table
          caption="Milestones"
          bare
          rows={dated}
          columns={[
            { name: 'Milestone', of: ({ code }) => milestoneNames[code], heads: true },
            { name: 'Planned for', of: ({ plannedFor }) => day(plannedFor) },
            { name: 'Done on', of: ({ doneOn }) => day(doneOn) },
          ]}
        />
      )}
      {delivery.warnings.length > 0 && (
        <Notice kind="soon" title="Check the days.">
          {delivery.warnings.map((warning) => (
            <p>{warning}</p>
          ))}
        </Notice>
      )}
      {isUnderWay && others.length > 0 && (
        <p class="hint">
          {`Not planned yet: ${others.map(({ code }) => milestoneNames[code]).join(', ')}.`}
        </p>
      )}
      {isUnderWay && (
        <PostForm
          class="call"
          action={`/staff/orders/${reference}/delivery/done`}
          hidden={{ version: order.version }}
          button={
            <p class="actions">
              <button type="submit" aria-keyshortcuts="Enter">
                Done today
                <kbd aria-hidden="true">Enter</kbd>
              </button>
              {changeLink}
            </p>
          }
        >
          <Chips
            name="milestone"
            id="milestone"
            label="Done today"
            hint={
              <>
                {'Press '}
                <kbd>v</kbd>, a digit and <kbd>Enter</kbd>.
              </>
            }
            of={milestones.flatMap(({ code, doneOn }, i) =>
              doneOn === null
                ? [{ value: code, name: milestoneNames[code], key: String(i + 1) }]
                : [],
            )}
            chosen=""
          />
        </PostForm>
      )}
      {order.state === 'won' && !isUnderWay && <p class="actions">{changeLink}</p>}
    </Section>
  );
}

/** For the head of an accepted order: why its date is at risk, and what the client asks for. */
export function DeliveryAlerts(props: DeliveryProps & { readonly reason: string | null }) {
  const { order, now } = props;
  const { delivery } = order;
  if (delivery === null || order.state !== 'won') return null;
  const risk = riskInWords(delivery, londonDay(now), (day) => shortDay(day, now));
  return (
    <>
      {risk !== null && (
        <p class="standing">
          <a class="late" href="#delivery">
            {`${risk}.`}
          </a>
        </p>
      )}
      <CancellationRequest {...props} order={{ ...order, delivery }} />
    </>
  );
}

interface CancellationProps extends DeliveryProps {
  readonly order: DeliveredOrder;
  /** In the words of the client. */
  readonly reason: string | null;
}

/** What the client asks for, and who answers. */
function CancellationRequest({ order, viewer, now, reason }: CancellationProps) {
  const { cancellationRequestedAt: at } = order.delivery;
  if (at === null) return null;
  return (
    <Notice
      kind="soon"
      title={`The client asks to cancel${reason === null ? ' this order.' : `: ${reason}`}`}
    >
      <p>
        {'Asked '}
        <TimeElement at={at}>{shortTime(at, now)}</TimeElement>
        {order.chargesAwaiting > 0 && '. A charge awaits the answer of the client'}
        {'. '}
        {isTheirs(order, viewer) ? (
          <a
            class="button"
            href={`/staff/orders/${order.reference}/cancellation-answer`}
            data-dialog
          >
            Answer
          </a>
        ) : (
          'The owner or a manager answers.'
        )}
      </p>
    </Notice>
  );
}
