import type { TimelineEntry } from '../../orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { parsePostcode, Postcode, PostcodeRefusal } from '../../platform/kernel/postcode.js';
import { stateInfo } from '../../orders/record/order-states.js';
import { Time } from '../../platform/ui/parts.js';
import { actionWords, commentOf } from '../../orders/staff/order-words.js';

/** Options below the search field. A script opens the address of the chosen one. */
export function Suggestions({ q, orders }: { q: string; orders: readonly FollowUpOrder[] }) {
  const postcode = parsePostcode(q);
  const meant =
    orders.length === 0 && postcode instanceof PostcodeRefusal ? postcode.suggestion : undefined;
  return (
    <>
      {postcode instanceof Postcode && (
        <li role="option" data-href={`/staff/check?postcode=${encodeURIComponent(postcode.unit)}`}>
          {`Check availability at ${postcode.unit}`}
        </li>
      )}
      {meant !== undefined && (
        <li role="option" data-href={`/staff/search?q=${encodeURIComponent(meant)}`}>
          {`Did you mean ${meant}?`}
        </li>
      )}
      {orders.map(({ reference, client, contact, postcode: place, state }) => (
        <li role="option" data-href={`/staff/orders/${reference}`}>
          <b>{reference}</b> <span>{`${client.name}, ${contact.name ?? client.contactName}`}</span>{' '}
          <small>{`${place}, ${stateInfo[state].name}`}</small>
        </li>
      ))}
    </>
  );
}

interface LastNoteProps {
  /** Newest first. */
  readonly entries: readonly TimelineEntry[];
  /** From the client, with the order. */
  readonly notes: string | null;
  readonly now: Date;
}

/** The last note of an order; without one the client's notes, and the last event. */
export function LastNote({ entries, notes, now }: LastNoteProps) {
  const noted = entries.find((entry) => commentOf(entry) !== '');
  const last = noted ?? entries[0];
  return (
    <>
      {noted && <p class="prose">{commentOf(noted)}</p>}
      {!noted && <p class="prose">{notes ?? 'No notes yet.'}</p>}
      {last && (
        <p class="muted">
          {`${last.actorName} ${actionWords(last)}, `}
          <Time at={last.at} now={now} />
        </p>
      )}
    </>
  );
}
