import type { Reply } from './http.js';
import type { Ledger } from './ledger.js';
import type { Service } from './service.js';
import { jsonForm } from '../../src/platform/kernel/stored-form.js';
import { StaffBrowser } from './staff-browser.js';

/** Runs in a page that does not escape it: as text, in an attribute, or in a script. */
export const HOSTILE = `</title><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

/** The parts of `HOSTILE` in a page that a browser would parse as elements. */
export function hostileElements({ text }: Reply<string>): string[] {
  const written = text.replaceAll(
    /<img (class="quote-map" )?(alt="[^"<>]*" loading="lazy" )?src="\/staff\/(help\/pictures\/[\w-]+\.webp|quotes\/[\w-]+\/map\.svg)"( [\w]+="[^"<>]*")*\s?\/>/g,
    '',
  );
  return written.match(/<script>|<img|onerror=alert\(1\)>(?!&)[^<]*<\/script/gi) ?? [];
}

/** `[status, location]`. */
export function way({ status, headers }: Reply<unknown>) {
  return [status, headers.location];
}

/** `[status, text of the first notice]`. */
export function told({ status, text }: Reply<string>) {
  return [status, plain(/<p class="notice-title">(.*?)<\/p>/s.exec(text)?.[1])];
}

/** `[status, faults by field]`. */
export function faults({ status, text }: Reply<string>): unknown[] {
  const summary = /aria-labelledby="faults".*?<\/section>/s.exec(text)?.[0] ?? '';
  const links = [...summary.matchAll(/<a href="#([^"]*)">(.*?)<\/a>/gs)];
  const pairs = links.map(([, field = '', fault = '']) => {
    return [field, plain(fault.replace(/^<b>.*?<\/b>/, ''))] as const;
  });
  return [status, Object.fromEntries(pairs)];
}

/** The value of a field. */
export function valueOf({ text }: Reply<string>, name: string): string | undefined {
  const inputs = text.match(/<input(?:[^>"]|"[^"]*")*>/g) ?? [];
  const input = inputs.find((one) => one.includes(` name="${name}"`)) ?? '';
  return / value="([^"]*)"/.exec(input)?.[1]?.replaceAll('&quot;', '"').replaceAll('&lt;', '<');
}

/** The text of the cells of each table row. */
export function rows({ text }: Reply<string>): string[][] {
  return [...text.matchAll(/<tr>(.*?)<\/tr>/gs)]
    .map(([, row = '']) => [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)])
    .map((cells) => cells.map(([, cell]) => plain(cell) ?? ''));
}

/** The facts of the page, by name. */
export function facts({ text }: Reply<string>): Record<string, string | undefined> {
  const pairs = [...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)];
  return Object.fromEntries(pairs.map(([, name = '', value]) => [name, plain(value)]));
}

function plain(html: string | undefined): string | undefined {
  return html
    ?.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The audit entries of a subject: `[action, actor, details]`. */
export async function deedsOf(ledger: Ledger, subject: string): Promise<unknown[]> {
  const entries = await ledger.rows<{ action: string; actor_name: string; details: string | null }>(
    `SELECT action, actor_name, details FROM audit_entries WHERE subject_id = '${subject}' ORDER BY id`,
  );
  return entries.map(({ action, actor_name, details }) => [
    action,
    actor_name,
    withoutForm(details),
  ]);
}

/** Of a JSON column, without its form. */
function withoutForm(stored: string | null): string | null {
  return stored && JSON.stringify(jsonForm.from(JSON.parse(stored)));
}

/** The id in a path. */
export function idIn(path: unknown): string {
  return /\/([0-9a-f-]{36})\b/.exec(String(path))?.[1] ?? '';
}

/** A signed-in member with each role. */
export async function signedIn(service: Service) {
  return {
    agent: await StaffBrowser.signedIn(service, { role: 'agent', name: 'Alan Agent' }),
    manager: await StaffBrowser.signedIn(service, { role: 'manager', name: 'Mary Manager' }),
    admin: await StaffBrowser.signedIn(service, { role: 'admin', name: 'Ada Admin' }),
  };
}

/** As `rows`, without the headings of the tables. */
export function cells(reply: Reply<string>): string[][] {
  return rows({ ...reply, text: reply.text.replaceAll(/<thead>.*?<\/thead>/gs, '') });
}
