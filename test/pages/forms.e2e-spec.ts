import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { World } from '../chromium/world.js';
import { type DrawnControl, type DrawnForm, formsIn, wordsIn } from '../support/drawn-forms.js';
import { MailServer } from '../support/mail-server.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { FIRST_CHOICE, otherForms, type StaffForm, staffForms } from './forms.given.js';

/** `FORMS=write` writes it again: read the difference before you commit it. */
const EXPECTED = 'test/pages/forms.txt';

type Sent = StaffForm['sent'];

describe('forms for staff', () => {
  let world: World;
  let browser: StaffBrowser;

  beforeAll(async () => {
    // A caller can only be notified where email is on.
    const { port } = await MailServer.start();
    world = await World.fill({
      smtp: readSmtpUrl(`smtp://localhost:${port}`) ?? null,
      mailFrom: { name: 'Orders', address: 'orders@operator.example' },
      reminderTimes: [],
    });
    browser = await StaffBrowser.signedIn(world.service, {}, world.admin);
  });

  it('are all sent here, or named as having nothing to fill in', () => {
    const routes = world.service
      .get(RoutesService)
      .routes.filter(({ method, path }) => method === 'POST' && path.startsWith('/staff/'))
      .map(({ path }) => path);
    const known = new Set([...staffForms.map(({ route }) => route), ...otherForms]);
    expect(routes.filter((route) => !known.has(route))).toEqual([]);
    expect([...known].filter((route) => !routes.includes(route))).toEqual([]);
  });

  it('say what is wrong at its field, and keep what was typed', async () => {
    const parts: string[] = [];
    for (const form of staffForms) parts.push(await answersTo(form));
    const answers = `${parts.join('\n\n')}\n`;
    if (process.env.FORMS === 'write') writeFileSync(EXPECTED, answers);
    expect(answers).toBe(readFileSync(EXPECTED, 'utf8'));
  });

  /** The form as drawn at first, and the answer to each way to send it. */
  async function answersTo(asked: StaffForm): Promise<string> {
    const drawn = formOf(asked, (await browser.get(await asked.page(world))).text);
    if (!drawn) throw new Error(`The page has no form for ${asked.route}.`);
    const lines = [`# POST ${asked.route}${asked.what === undefined ? '' : ` (${asked.what})`}`];
    lines.push(...drawn.controls.map((control) => `  ${look(control)}`));
    for (const [name, sent] of waysToSend(drawn, asked)) {
      const { status, headers, text } = await browser.post(drawn.action, sent);
      lines.push(`${name}: ${status} ${headers.location ?? ''}`.trim());
      if (status >= 300 && status < 400) continue;
      lines.push(...wordsIn(text).map((words) => `  ${words}`));
      const again = formOf(asked, text);
      lines.push(...(again ? changes(drawn, again, sent) : ['  no form']).map((of) => `  ${of}`));
    }
    return lines.map(withoutIds).join('\n');
  }
});

function formOf(asked: StaffForm, html: string): DrawnForm | undefined {
  const { route, action, controls: wanted = /./ } = asked;
  const pattern = action ?? new RegExp(`${route.replaceAll(/:\w+/g, '[^/?]+')}(?:\\?|$)`);
  const forms = formsIn(html)
    .filter((form) => pattern.test(form.action))
    .map((form) => ({ ...form, controls: form.controls.filter(({ name }) => wanted.test(name)) }));
  return forms.find(({ controls }) => controls.length > 0) ?? forms[0];
}

const lineTypes = new Set(['text', 'tel', 'email']);

function waysToSend(
  { hidden, controls }: DrawnForm,
  { sent, bad = [] }: StaffForm,
): [string, Sent][] {
  const firstOf = (field: string) =>
    controls.find(({ name }) => name === field)!.choices.find((choice) => choice !== '')!;
  const chosen = Object.entries(sent).map(([name, value]) => {
    return [name, value === FIRST_CHOICE ? firstOf(name) : value] as const;
  });
  const right = { ...hidden, ...Object.fromEntries(chosen) };
  const fill = (which: (control: DrawnControl) => boolean, text: (of: DrawnControl) => string) => {
    const pairs = controls.filter(which).map((control) => [control.name, text(control)]);
    return { ...right, ...Object.fromEntries(pairs) } as Sent;
  };
  const isLine = ({ type }: DrawnControl) => lineTypes.has(type);
  const isText = (control: DrawnControl) => isLine(control) || control.type === 'textarea';
  const ways: [string, Sent][] = [];
  if (controls.some(({ required }) => required)) ways.push(['nothing', hidden]);
  if (controls.some(isLine)) ways.push(['control characters', fill(isLine, () => 'a\u0007b')]);
  if (controls.some(isText)) {
    const tooLong = ({ maxlength = '4000' }: DrawnControl) => 'x'.repeat(Number(maxlength) + 1);
    ways.push(['too long', fill(isText, tooLong)]);
  }
  for (const wrong of bad) {
    const name = Object.entries(wrong).map(([field, value]) => `${field}=${shortened(value)}`);
    ways.push([name.join(' '), { ...right, ...wrong }]);
  }
  return [...ways, ['as it should be', right]];
}

function look({ name, type, value, choices, maxlength, required }: DrawnControl): string {
  const parts = [
    name,
    type,
    required && 'required',
    maxlength !== undefined && `maxlength=${maxlength}`,
    value !== '' && `value=${shortened(value)}`,
    choices.length > 0 &&
      (choices.length > 12 ? `${choices.length} choices` : `of ${choices.join(',')}`),
  ];
  return parts.filter((part) => part !== false).join(' ');
}

/** How the form that was drawn again differs from the first one with what was sent. */
function changes(first: DrawnForm, again: DrawnForm, sent: Sent): string[] {
  const names = new Set([...first.controls, ...again.controls].map(({ name }) => name));
  const values = [...names].flatMap((name) => {
    const before = first.controls.find((one) => one.name === name);
    const after = again.controls.find((one) => one.name === name);
    if (!after) return [`${name} is gone`];
    if (!before) return [`${name} is new`];
    const typed = [sent[name] ?? ''].flat().join('+');
    const isKept = after.value === typed.replaceAll('\r\n', '\n').trim();
    return [
      ...(isKept ? [] : [`${name} shows ${shortened(after.value) || 'nothing'}`]),
      ...(look({ ...before, value: '' }) === look({ ...after, value: '' }) ? [] : [look(after)]),
    ];
  });
  const hidden = Object.entries(again.hidden).filter(
    ([name, value]) => name !== 'key' && value !== (sent[name] ?? ''),
  );
  return [...values, ...hidden.map(([name, value]) => `hidden ${name} is ${value || 'empty'}`)];
}

function shortened(value: string | readonly string[]): string {
  const text = [value].flat().join('+');
  return text.length > 60 ? `${text.slice(0, 3)}… (${text.length})` : text;
}

function withoutIds(line: string): string {
  return line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/(?:ORD|ENQ|QUO)-[0-9A-Z]{6}/g, '<reference>')
    .replaceAll(/(?<=\/check\/|check%2F)[0-9A-HJKMNP-TV-Z]{10}/g, '<check>')
    .replaceAll('\u0007', '␇');
}
