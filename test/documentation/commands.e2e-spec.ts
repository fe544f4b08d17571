import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { newFolder } from '../support/closing.js';
import {
  type HttpAnswer,
  jsonBlocks,
  Likeness,
  parseHttp,
  Shell,
  type Step,
  stepsOf,
} from '../support/documented.js';
import { startRelay } from '../support/proxies.js';
import { usualClientScopes } from '../../src/platform/access/scopes.js';
import { type Service, startService } from '../support/service.js';

const files = ['docs/api', 'docs/api/problems'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);
const pages = files
  .map((file) => ({ file, markdown: readFileSync(file, 'utf8') }))
  .map((page) => ({ ...page, steps: stepsOf(page.markdown) }));

const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).error);
const itRuns = missing.length === 0 ? it : it.skip;
if (missing.length > 0) {
  process.stderr.write(
    `The commands of the documentation are skipped: no ${missing.join(', ')}.\n`,
  );
}

/** Runs every command on the pages and compares the response. */
describe('the documentation', () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService('sqlite', {
      config: { mcp: true, webhookKey: randomBytes(32) },
    });
    await service.given.catalogue();
    base = await startRelay(service.http);
  });

  it('has commands, each with its response', () => {
    const steps = pages.flatMap((page) => page.steps);
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.filter(({ answer }) => !answer?.text.trim()).map(({ script }) => script)).toEqual(
      [],
    );
  });

  it('has valid JSON', () => {
    for (const { markdown } of pages) {
      for (const block of jsonBlocks(markdown)) expect(() => void JSON.parse(block)).not.toThrow();
    }
  });

  const withSteps = pages.filter(({ steps }) => steps.length > 0);
  itRuns.each(withSteps)('does what $file says', async ({ file, markdown, steps }) => {
    const named = steps.some(({ script }) => /\/me\b/.test(script));
    const client = await service.given.client(named ? { name: 'Example Reseller' } : {});
    const isSync = markdown.includes('/coverage/changes');
    const scopes = isSync ? [...usualClientScopes, 'coverage:read' as const] : usualClientScopes;
    const token = await service.given.token({ client, kind: 'test', scopes });
    const shell = new Shell({ BASE: base, TOKEN: token }, await newFolder());
    const likeness = new Likeness();
    let rewritten = markdown;
    const faults: string[] = [];
    for (const step of steps) {
      const script = likeness.forThisRun(step.script);
      const real = read(step, await shell.run(script));
      if (process.env.DOCS_WRITE === 'on') rewritten = withAnswer(rewritten, step, likeness, real);
      else faults.push(...departures(likeness, step, real).map((it) => `${script}${it}`));
    }
    if (rewritten !== markdown) writeFileSync(file, rewritten);
    expect(faults).toEqual([]);
  });
});

function read({ answer }: Step, text: string): unknown {
  if (answer?.language === 'text') return text;
  return answer?.language === 'http' ? parseHttp(text) : (JSON.parse(text) as unknown);
}

function departures(likeness: Likeness, { answer }: Step, real: unknown): string[] {
  if (!answer) return [];
  if (answer.language === 'text') return likeness.departures(answer.text, real);
  if (answer.language !== 'http') return likeness.departures(JSON.parse(answer.text), real);
  const written = parseHttp(answer.text);
  const { status, headers, body } = real as HttpAnswer;
  return [
    ...likeness.departures(written.status, status, 'status'),
    ...Object.entries(written.headers).flatMap(([name, value]) =>
      likeness.departures(value, headers[name], name),
    ),
    ...likeness.departures(written.body, body, 'body'),
  ];
}

const shown = [
  ['Content-Type'],
  ['Location'],
  ['Idempotent-Replayed'],
  ['WWW-Authenticate'],
  ['Retry-After'],
  ['RateLimit-Policy', 'look-ups'],
  ['RateLimit', 'look-ups'],
  ['Allow'],
] as const;

/** `DOCS_WRITE=on` writes the responses into the pages, for review. */
function withAnswer(markdown: string, step: Step, likeness: Likeness, real: unknown): string {
  const { script, sandbox, answer } = step;
  if (!answer) return markdown;
  const command = `\`\`\`sh run${sandbox ? ' sandbox' : ''}\n${script}\`\`\``;
  const from = markdown.indexOf(' answer\n', markdown.indexOf(command)) + ' answer\n'.length;
  return (
    markdown.slice(0, from) +
    likeness.asWritten(textOf(answer.language, real)) +
    markdown.slice(markdown.indexOf('```', from))
  );
}

function textOf(language: string, real: unknown): string {
  if (language === 'text') return real as string;
  if (language !== 'http') return `${JSON.stringify(real, null, 2)}\n`;
  const { status, headers, body } = real as HttpAnswer;
  const lines = shown
    .filter(([name, word]) => headers[name.toLowerCase()]?.includes(word ?? ''))
    .map(([name]) => `${name}: ${headers[name.toLowerCase()]}`);
  const json = body === null ? '' : `\n${JSON.stringify(body, null, 2)}\n`;
  return `${[status, ...lines].join('\n')}\n${json}`;
}
