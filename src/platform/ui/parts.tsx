import type { ComponentChildren } from 'preact';
import { Icon } from './icons.js';
import { longTime, machineTime, shortTime } from '../kernel/time-words.js';

/** A time in London; within a day also relative to `now`. */
export function Time({ at, now }: { at: Date; now: Date }) {
  return <TimeElement at={at}>{shortTime(at, now)}</TimeElement>;
}

/** An instant in the words of the page. */
export function TimeElement({ at, children }: { at: Date; children: ComponentChildren }) {
  return (
    <time datetime={machineTime(at)} title={longTime(at)}>
      {children}
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

/** A text with a button that copies it. The button is hidden without scripts. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** @param props.named shows what it copies, where a place has several */
export function CopyButton(props: { text: string; label: string; named?: true }) {
  const { text, label, named } = props;
  return (
    <button type="button" class="quiet" data-copy={text} aria-label={`Copy ${label}`} hidden>
      <Icon name="copy" />
      <span>{named ? `Copy ${label}` : 'Copy'}</span>
    </button>
  );
}

export function ProductName(props: { of: { name: string; productCode: string } }) {
  const { name, productCode } = props.of;
  return (
    <>
      {name} <code class="muted">{productCode}</code>
    </>
  );
}
