import type { TimelineEntry } from '../../follow-up/queue/detail.dto.js';
import { Time } from '../shell/parts.js';
import { longTime } from '../shell/times.js';
import { deedWords, saidWith } from '../shell/words.js';

/** What has happened, the newest first: that is what one looks for. */
export function Timeline({ entries, now }: { entries: readonly TimelineEntry[]; now: Date }) {
  if (entries.length === 0) return <p class="hint">Nothing is recorded.</p>;
  return (
    <ol class="timeline bare" reversed>
      {entries.toReversed().map((entry) => {
        const said = saidWith(entry);
        const until = comesBack(entry);
        return (
          <li>
            <p>
              <strong>{entry.actorName}</strong>
              {` ${deedWords(entry)}${until}. `}
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
