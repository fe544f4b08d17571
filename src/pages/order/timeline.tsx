import type { TimelineEntry } from '../../follow-up/queue/detail.dto.js';
import { Time } from '../shell/parts.js';
import { ago, longTime, shortTime } from '../shell/times.js';
import { actionWords, commentOf } from '../shell/words.js';

/** What has happened, the newest first: that is what one looks for. */
export function Timeline({ entries, now }: { entries: readonly TimelineEntry[]; now: Date }) {
  if (entries.length === 0) return <p class="hint">Nothing is recorded.</p>;
  return (
    <ol class="timeline bare" reversed>
      {entries.toReversed().map((entry) => {
        const said = commentOf(entry);
        const until = comesBack(entry);
        return (
          <li>
            <p>
              <strong>{entry.actorName}</strong>
              {` ${actionWords(entry)}${until}. `}
              <span class="when">
                <Time at={entry.at} now={now} />
              </span>
            </p>
            {said !== '' && <blockquote class="prose">{said}</blockquote>}
          </li>
        );
      })}
    </ol>
  );
}

function comesBack({ details }: TimelineEntry): string {
  const { nextActionAt } = details;
  if (typeof nextActionAt !== 'string') return '';
  const at = new Date(nextActionAt);
  return Number.isNaN(at.getTime()) ? '' : `, for ${longTime(at)}`;
}

/**
 * What was done to an order since somebody saw it at `version`: "Sam claimed this 20 s ago." Null
 * where nothing was.
 */
export function conflictText(
  timeline: readonly TimelineEntry[],
  version: number,
  me: string,
  now: Date,
): string | null {
  const since = timeline.filter(({ details }) => {
    const reached = details.version;
    return typeof reached === 'number' && reached > version;
  });
  const last = since.at(-1);
  if (!last) return null;
  const who = last.actorId === me ? 'You' : last.actorName;
  return `${who} ${actionWords(last)} ${since.length > 1 ? 'last, ' : ''}${when(last.at, now)}.`;
}

function when(at: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1_000);
  if (seconds < 60) return `${Math.max(seconds, 0)} s ago`;
  return ago(at, now) ?? shortTime(at, now);
}
