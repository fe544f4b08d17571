import type { ComponentChildren } from 'preact';
import { ago, longTime, shortTime } from './times.js';

/** An instant: relative within a day, with the absolute beside it, in London's time. */
export function Time({ at, now }: { at: Date; now: Date }) {
  const relative = ago(at, now);
  return (
    <time datetime={at.toISOString()} title={longTime(at)}>
      {relative === null ? shortTime(at, now) : `${relative}, ${shortTime(at, now)}`}
    </time>
  );
}

export function Notice(props: {
  kind: 'good' | 'soon' | 'bad' | 'plain';
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <section class={`notice ${props.kind}`} role={props.kind === 'bad' ? 'alert' : 'status'}>
      <p class="notice-title">{props.title}</p>
      {props.children}
    </section>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A text with a button that copies it; without scripts the text can be selected. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button type="button" class="quiet" data-copy={text} aria-label={`Copy ${label}`} hidden>
      Copy
    </button>
  );
}

export function whole(number: number): string {
  return number.toLocaleString('en-GB');
}
