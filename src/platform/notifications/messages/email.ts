import { escapeHtml } from '../../kernel/text.js';
import type { Mailbox } from '../../kernel/mail-address.js';

export interface Email {
  readonly to: readonly Mailbox[];
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface EmailDraft {
  readonly to: readonly Mailbox[];
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  readonly parts: readonly EmailPart[];
}

export type EmailPart =
  | { readonly paragraph: string }
  | { readonly facts: readonly (readonly [label: string, value: EmailValue | null])[] }
  | { readonly heading: string; readonly items: readonly EmailItem[] };

/** One line of a list, with the page that it is about if there is one. */
export type EmailItem = string | { readonly text: string; readonly link: string };

/** One line, several lines, or a link to a page, or to call or write to someone. */
export type EmailValue =
  | string
  | { readonly lines: string }
  | { readonly phone: string }
  | { readonly mail: string }
  | { readonly link: string };

const MOST_SUBJECT = 200;

/** Writes the draft as plain text and as HTML; rows without a value are left out. */
export function writeEmail({ to, replyTo, subject, parts }: EmailDraft): Email {
  return {
    to,
    replyTo,
    subject: oneLine(subject, MOST_SUBJECT),
    text: `${parts.map(textOf).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en-GB"><head><meta charset="utf-8"><title>${escapeHtml(oneLine(subject, MOST_SUBJECT))}</title></head>\n<body style="font:16px/1.45 system-ui,sans-serif">\n${parts.map(htmlOf).join('\n')}\n</body></html>\n`,
  };
}

/** Replaces control characters, which could start a header, and bidirectional marks by spaces. */
export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu,
    ' ',
  );
  const characters = [...line.replaceAll(/ +/g, ' ').trim()];
  return characters.length > most
    ? `${characters.slice(0, most - 1).join('')}…`
    : characters.join('');
}

function textOf(part: EmailPart): string {
  if ('paragraph' in part) return printable(part.paragraph);
  if ('heading' in part) {
    return [part.heading, ...part.items.map((item) => `- ${textOfItem(item)}`)].join('\n');
  }
  const rows = part.facts.flatMap(([label, value]) => (value === null ? [] : [[label, value]]));
  const width = Math.max(0, ...rows.map(([label]) => (label as string).length)) + 2;
  return rows
    .map(([label, value]) => {
      const lines = printable(plain(value as EmailValue)).split('\n');
      return `${`${label as string}:`.padEnd(width)}${lines.join(`\n${' '.repeat(width)}`)}`;
    })
    .join('\n');
}

function htmlOf(part: EmailPart): string {
  if ('paragraph' in part) return `<p>${htmlLines(part.paragraph)}</p>`;
  if ('heading' in part) {
    const items = part.items.map((item) => `<li>${htmlOfItem(item)}</li>`);
    return `<h2 style="font-size:1.1em">${escapeHtml(part.heading)}</h2>\n<ul>${items.join('')}</ul>`;
  }
  const rows = part.facts.map(([label, value]) =>
    value === null
      ? ''
      : `<tr><th scope="row" style="text-align:left;vertical-align:top;padding:2px 16px 2px 0">${escapeHtml(label)}</th><td>${htmlValue(value)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function textOfItem(item: EmailItem): string {
  if (typeof item === 'string') return oneLine(item, 400);
  return `${oneLine(item.text, 400)}\n  ${item.link}`;
}

function htmlOfItem(item: EmailItem): string {
  if (typeof item === 'string') return escapeHtml(oneLine(item, 400));
  return `<a href="${escapeHtml(item.link)}">${escapeHtml(oneLine(item.text, 400))}</a>`;
}

function plain(value: EmailValue): string {
  if (typeof value === 'string') return oneLine(value, 400);
  if ('lines' in value) return value.lines;
  if ('link' in value) return value.link;
  return oneLine('phone' in value ? value.phone : value.mail, 254);
}

function htmlValue(value: EmailValue): string {
  if (typeof value === 'string' || 'lines' in value) return htmlLines(plain(value));
  return `<a href="${escapeHtml(hrefOf(value))}">${escapeHtml(plain(value))}</a>`;
}

function hrefOf(value: Exclude<EmailValue, string | { readonly lines: string }>): string {
  if ('link' in value) return value.link;
  return 'phone' in value
    ? `tel:${value.phone.replaceAll(/[^+\d]/g, '')}`
    : `mailto:${encodeURIComponent(value.mail).replace('%40', '@')}`;
}

function htmlLines(text: string): string {
  return escapeHtml(printable(text)).replaceAll('\n', '<br>');
}

/** Keeps line ends and drops the other control characters. */
function printable(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?!\n)\p{Cc}/gu, '');
}
