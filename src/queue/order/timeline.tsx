import type { TimelineEntry } from '../../orders/staff/detail.dto.js';
import { Icon, type IconName } from '../../platform/ui/icons.js';
import { Time } from '../../platform/ui/parts.js';
import { ago, shortTime } from '../../platform/kernel/time-words.js';
import { actionWords, commentOf } from '../../orders/staff/order-words.js';

/** The history of an order, newest first. */
export function Timeline({ entries, now }: { entries: readonly TimelineEntry[]; now: Date }) {
  if (entries.length === 0) return <p class="hint">No history yet.</p>;
  return (
    <ol class="timeline bare" reversed>
      {entries.toReversed().map((entry) => {
        const comment = commentOf(entry);
        return (
          <li>
            <Icon name={iconOf(entry)} />
            <p>
              <strong>{entry.actorName}</strong>
              {` ${actionWords(entry)}${nextAction(entry, now)}. `}
              <span class="when">
                <Time at={entry.at} now={now} />
              </span>
            </p>
            {comment !== '' && <LongText text={comment} />}
          </li>
        );
      })}
    </ol>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  received: 'inbox',
  claimed: 'user',
  assigned: 'user',
  contact_logged: 'phone',
  scheduled: 'clock',
  resumed: 'clock',
  handed_over: 'users',
  released: 'undo',
  won: 'check',
  lost: 'x',
  marked_duplicate: 'copy',
  cancelled: 'x',
  reopened: 'history',
  undone: 'undo',
  noted: 'edit',
  message_received: 'mail',
  replied: 'mail',
  message_settled: 'check',
  amended: 'edit',
  charge_accepted: 'check',
  charge_rejected: 'x',
};

function iconOf({ action, details }: TimelineEntry): IconName {
  return details.channel === 'email' ? 'mail' : (icons[action] ?? 'history');
}

/** Longer texts are folded. */
const LONG = 280;

/** What a person wrote. */
export function LongText({ text }: { text: string }) {
  const quote = <blockquote class="prose">{text}</blockquote>;
  if (text.length <= LONG) return quote;
  const start = text.slice(0, LONG / 2).replace(/\s+\S*$/, '');
  return (
    <details class="long">
      <summary>{`${start} …`}</summary>
      {quote}
    </details>
  );
}

function nextAction({ details }: TimelineEntry, now: Date): string {
  const at = new Date(String(details.nextActionAt));
  return Number.isNaN(at.getTime()) ? '' : ` for ${shortTime(at, now)}`;
}

/** The last change of an order after `version`: "Sam claimed this 20 s ago."; null for none. */
export function conflictText(
  timeline: readonly TimelineEntry[],
  version: number,
  me: string,
  now: Date,
): string | null {
  const since = timeline.filter(({ details }) => Number(details.version) > version);
  const last = since.at(-1);
  if (!last) return null;
  const who = last.actorId === me ? 'You' : last.actorName;
  return `${who} ${actionWords(last)} ${since.length > 1 ? 'last, ' : ''}${when(last.at, now)}.`;
}

function when(at: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1_000);
  if (seconds < 1) return 'just now';
  return seconds < 60 ? `${seconds} s ago` : (ago(at, now) ?? shortTime(at, now));
}
