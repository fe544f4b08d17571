import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AccessService } from '../../src/clients/access.service.js';
import type { LeanExpressAdapter } from '../../src/platform/http/lean-express.adapter.js';
import type { Engine } from './databases.js';
import { chosenEngines } from './engines.js';
import type { Http, RawRequest, RecordedReply } from './http.js';

/** A check is answered by the fast path before Express, or by the full pipeline. */
type Entrance = 'the fast path' | 'the full pipeline';

/** Requests and answers of each test. */
type Transcript = Map<string, string[]>;

let entrance: Entrance | undefined;
let transcript: Transcript | undefined;

/**
 * Runs a suite through both entrances, on the engine that `onOneEngine` chooses, and compares every answer. With
 * `--randomize` the two runs have different orders and remaining limits, so only the assertions of each run count.
 */
export function onBothEntrances(
  name: string,
  suite: (engine: Engine) => void,
  engines: readonly Engine[] = chosenEngines(),
): void {
  describe.each(engines)(`${name}, on %s`, (engine) => {
    const transcripts = new Map<Entrance, Transcript>();
    const through = (chosen: Entrance, recorded: Transcript) =>
      describe(`through ${chosen}`, () => {
        beforeAll(() => {
          entrance = chosen;
          transcript = recorded;
        });
        afterAll(() => {
          entrance = undefined;
          transcript = undefined;
        });
        suite(engine);
      });
    for (const chosen of ['the full pipeline', 'the fast path'] as const) {
      const recorded: Transcript = new Map();
      transcripts.set(chosen, recorded);
      through(chosen, recorded);
    }

    afterAll(() => {
      const [full, fast] = [...transcripts.values()] as [Transcript, Transcript];
      if (fast.size === 0 || full.size === 0) return; // One of them was not chosen to run.
      if ([...fast.keys()].join('\n') !== [...full.keys()].join('\n')) return;
      expect(sorted(fast)).toEqual(sorted(full));
    });
  });
}

/** Concurrent requests are answered in any order. */
function sorted(exchanges: Transcript): Record<string, string[]> {
  return Object.fromEntries([...exchanges].map(([test, texts]) => [test, texts.toSorted()]));
}

/** Sends the requests of a service's client through the suite's entrance. */
export function useEntrance(app: NestExpressApplication, http: Http): void {
  if (entrance === 'the full pipeline') {
    (app.getHttpAdapter() as unknown as LeanExpressAdapter).answerFirst(() => false);
  }
  if (entrance === 'the fast path') {
    const access = app.get(AccessService);
    http.prepare = (request) => recogniseFrom(access, request);
  }
  const recorded = transcript;
  if (!recorded) return;
  http.record = (request) => {
    const test = testName();
    const exchanges = recorded.get(test) ?? [];
    recorded.set(test, exchanges);
    const index = exchanges.push(`${request.method} ${request.path}: no answer`) - 1;
    return (reply) => (exchanges[index] = printExchange(request, reply));
  };
}

/** The fast path leaves the first request with a token to the full pipeline; this sends that request. */
async function recogniseFrom(access: AccessService, request: RawRequest): Promise<void> {
  const authorization = request.headers?.Authorization ?? `Bearer ${request.token}`;
  if (typeof authorization !== 'string') return;
  const token = authorization.split(' ')[1] ?? '';
  if (!access.knows(token)) return;
  const caller = await access.callerOf(token).catch(() => undefined);
  if (caller) access.remember(authorization, caller);
}

/** Without the name of the suite, which contains the entrance. */
function testName(): string {
  return (
    expect
      .getState()
      .currentTestName?.replace(/^.* through the (?:fast path|full pipeline) /, '') ?? ''
  );
}

/** As text, without values that differ in each run. */
function printExchange({ method, path }: RawRequest, { status, rawHeaders, text }: RecordedReply) {
  const headers = rawHeaders.flatMap((name, i) => (i % 2 ? [] : [`${name}: ${rawHeaders[i + 1]}`]));
  return [`${method} ${path}`, status, ...headers, text]
    .join('\n')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\b(?:(?:ORD|ENQ|QUO)-[0-9A-HJKMNP-TV-Z]{6}|[0-9A-HJKMNP-TV-Z]{10})\b/g, '<code>')
    .replaceAll(/(?<=^Date: |;t=|^Retry-After: ).*$/gm, '<time>');
}
