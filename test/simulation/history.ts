/** One history: steps that a seed decides, each compared with the model. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { MetricsService } from '../../src/ops/metrics.service.js';
import type { Engine } from '../support/databases.js';
import {
  countsOfStaff,
  departures,
  differencesOfAnswer,
  erasedIn,
  differencesOfStaff,
  listsOfClient,
  listsOfStaff,
  messagesOf,
  ordersOf,
} from './comparison.js';
import { AGENT, type Expected, type MessageModel, type Model } from './model/model.js';
import { passTime } from './model/passing.js';
import { DAY, HOUR, MINUTE, SECOND } from './model/time.js';
import { clientView } from './model/views.js';
import { differencesOfPage, faultsOfPage, pagesOf, pagesOfCatalogue } from './pages.js';
import { quoteView } from './model/quotes.js';
import { watchView } from './model/watches.js';
import { Random } from './random.js';
import { type Answer, SimulatedService } from './simulated-service.js';
import { clientSteps } from './steps/clients.js';
import { offerSteps } from './steps/offers.js';
import { operatorSteps } from './steps/operator.js';
import { readSteps } from './steps/reads.js';
import { siteSteps } from './steps/sites.js';
import { staffSteps } from './steps/staff.js';
import { type Action, expectedOf, type StepKind } from './steps/step.js';
import { drawSettings, newWorld } from './world.js';

export interface HistoryOptions {
  readonly seed: number;
  readonly engine: Engine;
  readonly steps: number;
  /** That share the database, on PostgreSQL; by default one. The order in which their statements meet differs from run to run. */
  readonly instances?: number;
  /** The numbers of the steps to make; by default all. */
  readonly only?: readonly number[];
  /** Whether each step is written as it is made. */
  readonly say?: (line: string) => void;
}

export interface HistoryResult {
  readonly steps: number;
  readonly requests: number;
  /** Of everything that was sent and answered. */
  readonly hash: string;
}

/** What the model and the service say differs. */
export class Departure extends Error {
  constructor(
    readonly differences: readonly string[],
    readonly history: readonly string[],
    readonly warnings: readonly string[],
  ) {
    super(differences.join('\n'));
  }
}

const allKinds: readonly StepKind[] = [
  ...clientSteps,
  ...staffSteps,
  ...offerSteps,
  ...siteSteps,
  ...operatorSteps,
  ...readSteps,
];

/** Each history leaves some kinds of steps out and has much of others, so that rare ones meet. */
function drawWeights(random: Random): StepKind[] {
  const weighted = allKinds.map((kind) => {
    return { ...kind, weight: kind.weight * random.pick([0, 1, 1, 5]) };
  });
  const needed = weighted.filter(({ name }) => name === 'order' || name === 'move');
  for (const kind of needed) kind.weight = Math.max(10, kind.weight);
  return weighted;
}

const waits = [SECOND, 4 * SECOND, 11 * SECOND, 3 * MINUTE, 20 * MINUTE, 5 * HOUR, DAY] as const;

/** @throws {Departure} */
export async function runHistory(options: HistoryOptions): Promise<HistoryResult> {
  const { seed, engine, steps, only, instances = 1 } = options;
  const random = new Random(seed);
  const settings = drawSettings(random);
  const chance = Math.random;
  const own = new Random(seed + 1);
  Math.random = () => own.below(0x1_0000) / 0x1_0000;
  const service = await SimulatedService.start(engine, settings, new Random(seed + 2), instances);
  try {
    const model = await newWorld(service, settings, random);
    const history = new History(service, model, drawWeights(random), options);
    const seeds = Array.from({ length: steps }, () => random.bits());
    for (const [number, stepSeed] of seeds.entries()) {
      if (only && !only.includes(number)) continue;
      if (instances > 1) await service.settle();
      await history.step(number, new Random(stepSeed));
    }
    await history.finish();
    return history.result();
  } finally {
    Math.random = chance;
    await service.close();
  }
}

class History {
  private readonly lines: string[] = [];
  private readonly log = createHash('sha256');
  private readonly names = new Map<string, string>();
  private requests = 0;
  private made = 0;

  constructor(
    private readonly service: SimulatedService,
    private model: Model,
    private readonly kinds: readonly StepKind[],
    private readonly options: HistoryOptions,
  ) {}

  result(): HistoryResult {
    const hash = this.log.digest('hex').slice(0, 16);
    return { steps: this.made, requests: this.requests, hash };
  }

  async step(number: number, random: Random): Promise<void> {
    this.made += 1;
    const dice = random.below(100);
    if (dice < 14) {
      const failing = random.pick(['no', 'no', 'before', 'after'] as const);
      this.service.receiver.failing = failing;
      return this.wait(number, random.pick(waits), random.chance(70));
    }
    if (dice < 16) return this.restart(number);
    if (dice < 21) return this.pages(number, random);
    const actions: Action[] = [];
    const count = random.chance(8) ? 2 + random.below(2) : 1;
    for (let tries = 0; actions.length < count && tries < 10; tries += 1) {
      const action = random.weighted(this.kinds).draw(this.model, random);
      if (action?.again === 'alone') return this.race(number, [action]);
      const isTwice = action?.publishes && actions.some(({ publishes }) => publishes);
      if (action && !isTwice) actions.push(action);
    }
    if (actions.length > 1) return this.race(number, actions);
    const [action] = actions;
    if (!action) return this.say(number, 'nothing');
    // Its session would be left behind.
    const isForm = typeof action.sent !== 'function' && action.sent.by !== undefined;
    const fault = action.again === 'twice' || isForm ? 99 : random.below(100);
    if (fault < 4) return this.crash(number, action, 1 + random.below(12));
    if (fault < 8) return this.loseAnswer(number, action);
    if (fault < 11) return this.outage(number, action, random);
    await this.race(number, [action]);
  }

  /** All that the service says, at the end, when each message has had the time to arrive. */
  async finish(): Promise<void> {
    const { steps } = this.options;
    this.service.receiver.failing = 'no';
    for (const wait of [...Array.from({ length: 6 }, () => 6 * HOUR), MINUTE]) {
      await this.wait(steps, wait, true);
    }
    const differences = this.model.clients.flatMap((_, client) =>
      messagesOf(this.model, client, this.service.receiver.messages.values()),
    );
    for (const number of this.model.requests.keys()) {
      differences.push(...(await this.differencesOf(this.model, number)));
    }
    const read = (path: string, token: string) => this.read(path, token);
    for (const client of this.model.clients.keys()) {
      differences.push(...(await listsOfClient(this.model, client, read)));
    }
    differences.push(...(await listsOfStaff(this.model, read)));
    differences.push(
      ...departures(this.model.audit.toSorted(), (await this.service.audit()).toSorted(), 'audit'),
    );
    const metrics = (await this.service.get(MetricsService).read()).text;
    differences.push(...(await countsOfStaff(this.model, read, metrics)));
    differences.push(...erasedIn(this.model, await this.service.everything()));
    if (differences.length > 0) this.depart(differences);
  }

  private async wait(number: number, milliseconds: number, works: boolean): Promise<void> {
    const { failing } = this.service.receiver;
    const fails = failing === 'no' ? '' : ', and the webhooks fail';
    const words = works ? fails : ', and no job has run yet';
    this.say(number, `${milliseconds / SECOND} s pass${words}`);
    await this.service.wait(milliseconds, works);
    const before = structuredClone(this.model);
    this.model.now = this.service.now;
    if (works) passTime(this.model);
    await this.compare(before);
  }

  /** A member reads the page of a request, and another page. */
  private async pages(number: number, random: Random): Promise<void> {
    const { members } = this.model;
    const by = random.pick([...members.keys()].filter((one) => members[one]!.isEnabled));
    const { id, name } = members[by]!;
    const request = random.maybe([...this.model.requests.keys()].slice(-6));
    const isOperator = random.chance(30);
    const path = random.pick((isOperator ? pagesOfCatalogue : pagesOf)(this.model));
    this.say(number, `${name} reads the page of request ${request}, and someone ${path}`);
    await this.service.settle();
    const read = (asked: string) => this.service.visit(asked, id);
    const { commercial } = this.model;
    const readOther = (asked: string) => this.service.visit(asked, isOperator ? commercial.id : id);
    const differences = [
      ...(request === undefined ? [] : await differencesOfPage(this.model, request, by, read)),
      ...(await faultsOfPage(path, readOther)),
    ];
    if (differences.length > 0) this.depart(differences);
  }

  private async restart(number: number): Promise<void> {
    this.say(number, 'the service is stopped and started');
    await this.service.settle();
    await this.service.startAgain(true);
  }

  /** The process is killed while it works; the caller sends the same again. */
  private async crash(number: number, action: Action, statements: number): Promise<void> {
    await this.service.settle();
    this.service.crashAt(statements);
    const first = await this.send(action);
    const crashed = await this.service.startAgain();
    this.say(number, `${action.words}${crashed ? ', and the service crashes' : ''}`, first);
    await this.repeat(action, first);
  }

  /** The database is away, or full, for some statements; the caller sends the same again. */
  private async outage(number: number, action: Action, random: Random): Promise<void> {
    await this.service.settle();
    const end = this.service.failAt(random.below(10), 1 + random.below(4));
    const first = await this.send(action);
    const failed = end();
    const words = failed ? ', and the database is away for a moment' : '';
    this.say(number, `${action.words}${words}`, first);
    await this.repeat(action, failed && first?.status === 503 ? null : first);
  }

  private async loseAnswer(number: number, action: Action): Promise<void> {
    const first = await this.send(action);
    this.say(number, `${action.words}, and does not get the answer`);
    await this.repeat(action, first);
  }

  private async repeat(action: Action, first: Answer | null): Promise<void> {
    const before = structuredClone(this.model);
    const expected = expectedOf(action, this.model);
    const answer = await this.send(action);
    if (!answer) throw new Error('The service is down.');
    const isDone = action.again === 'done' && expected.status < 300 && answer.status === 409;
    const differences = [
      ...(first ? differencesOfAnswer(expected, first) : []),
      ...(isDone ? [] : differencesOfAnswer(expected, answer)),
    ];
    if (differences.length > 0) this.depart([action.words, ...differences]);
    const got = isDone ? first : answer;
    learn(expected, got ? await this.sourceOf(action, got) : await this.reread(action));
    this.record(answer);
    await this.compare(before);
  }

  /** Requests that run at once: some order of them explains all answers. */
  private async race(number: number, actions: readonly Action[]): Promise<void> {
    const answers = await Promise.all(actions.map((action) => this.send(action)));
    const before = this.model;
    let closest: string[] | null = null;
    for (const order of ordersOf(actions.length)) {
      const model = structuredClone(before);
      const expected = new Map(order.map((i) => [i, expectedOf(actions[i]!, model)]));
      const differences = actions.flatMap(({ words }, i) =>
        differencesOfAnswer(expected.get(i)!, answers[i]!).map((one) => `${words}: ${one}`),
      );
      if (differences.length === 0) {
        for (const i of order) {
          const source = await this.sourceOf(actions[i]!, answers[i]!);
          learn(expected.get(i)!, source);
        }
        this.model = model;
        differences.push(...(await this.changesSince(before)));
      }
      if (differences.length === 0) {
        for (const [i, { words }] of actions.entries()) {
          this.say(number, actions.length > 1 ? `at once: ${words}` : words, answers[i]);
        }
        for (const i of order) this.record(answers[i]!);
        return;
      }
      if (closest === null || differences.length < closest.length) closest = differences;
    }
    for (const [i, { words }] of actions.entries()) this.say(number, words, answers[i]);
    this.depart(closest ?? []);
  }

  private async reread({ reread }: Action): Promise<Answer | null> {
    return reread ? this.service.send(reread) : null;
  }

  /** The answer that has new ids. */
  private async sourceOf(action: Action, answer: Answer): Promise<Answer | null> {
    return action.alwaysReread && answer.status < 300 ? this.reread(action) : answer;
  }

  private async compare(before: Model): Promise<void> {
    const differences = await this.changesSince(before);
    if (differences.length > 0) this.depart(differences);
  }

  /** Compares each request that the model has changed, or that reads differently now. */
  private async changesSince(before: Model): Promise<string[]> {
    const differences: string[] = [];
    for (const [number, request] of this.model.requests.entries()) {
      const earlier = before.requests[number];
      const isSame =
        isDeepStrictEqual(request, earlier) &&
        (this.model.now === before.now ||
          isDeepStrictEqual(clientView(this.model, request), clientView(before, earlier!)));
      if (isSame) continue;
      differences.push(...(await this.differencesOf(this.model, number)));
    }
    for (const number of this.model.quotes.keys()) {
      const isNew = before.quotes[number] === undefined;
      const expected = quoteView(this.model, number);
      if (!expected || (!isNew && isDeepStrictEqual(expected, quoteView(before, number)))) continue;
      differences.push(...(await this.differencesOfQuote(number, expected)));
    }
    if (!isDeepStrictEqual(this.model.watches, before.watches)) {
      for (const client of this.model.clients.keys()) {
        differences.push(...(await this.differencesOfWatches(client)));
      }
    }
    return differences;
  }

  private async differencesOfQuote(number: number, expected: object): Promise<string[]> {
    const { id, client } = this.model.quotes[number]!;
    const { token } = this.model.clients[client]!;
    const read = await this.read(`/product-availability/quote/${id}`, token);
    return departures(expected, read).map((one) => `quote ${number}: ${one}`);
  }

  private async differencesOfWatches(client: number): Promise<string[]> {
    const { name, token } = this.model.clients[client]!;
    const read = await this.read('/product-availability/watch?limit=100', token);
    const byId = (one: object) => String((one as { watchId: string }).watchId);
    const inOrder = (views: object[]) => views.toSorted((a, b) => (byId(a) < byId(b) ? -1 : 1));
    const own = this.model.watches.filter((one) => one.client === client && !one.isDeleted);
    const { items } = read as { items: object[] };
    const differences = departures(inOrder(own.map(watchView)), inOrder(items));
    return differences.map((one) => `watches of ${name}: ${one}`);
  }

  private async differencesOf(model: Model, number: number): Promise<string[]> {
    const request = model.requests[number]!;
    const { kind, id } = request;
    const { token } = model.clients[request.client]!;
    const seen = await this.read(`/product-availability/${kind}/${id}`, token);
    const staff = await this.read(`/follow-up/orders/${id}`, model.members[AGENT]!.token);
    const written = request.messages.length > 0 || model.now % 10 === 0;
    const { items } = (
      written
        ? await this.read(`/product-availability/${kind}/${id}/message`, token)
        : { items: [] }
    ) as { items: MessageModel[] };
    // For ten seconds its author can take an answer back.
    const isSent = ({ from, at }: MessageModel) =>
      from === 'client' || model.now - Date.parse(at) >= 10 * SECOND;
    return [
      ...departures(clientView(model, request), seen),
      ...differencesOfStaff(model, number, staff),
      ...departures(request.messages.filter(isSent), items.filter(isSent)).map(
        (one) => `messages: ${one}`,
      ),
    ].map((one) => `${kind} ${number}: ${one}`);
  }

  private async send({ sent }: Action): Promise<Answer | null> {
    this.requests += 1;
    return this.service.send(sent);
  }

  private async read(path: string, token: string): Promise<unknown> {
    this.requests += 1;
    const answer = await this.service.send({ method: 'GET', path, token });
    if (answer?.status !== 200)
      this.depart([`${path} is answered ${answer?.status}: ${answer?.text}`]);
    this.record(answer);
    return answer.body;
  }

  private say(number: number, words: string, answer?: Answer | null): void {
    const at = new Date(this.model.now).toISOString();
    const status = answer ? ` → ${answer.status}${codeOf(answer)}` : '';
    const line = `${number} ${at} ${words}${status}`;
    this.lines.push(line);
    this.log.update(this.canonical(line));
    this.options.say?.(line);
  }

  private record({ status, text }: Answer): void {
    this.log.update(`${status} ${this.canonical(text)}`);
  }

  /** Random ids in the order in which they appear, so that the log of a seed is always the same. */
  private canonical(text: string): string {
    return text.replaceAll(randomWords, (word) => {
      const known = this.names.get(word) ?? `<${this.names.size}>`;
      this.names.set(word, known);
      return known;
    });
  }

  private depart(differences: readonly string[]): never {
    throw new Departure(differences, this.lines, this.service.warnings);
  }
}

const randomWords =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:ORD|ENQ|QUO|BESPOKE)-[0-9A-HJKMNP-TV-Z]{6}|\b[0-9A-HJKMNP-TV-Z]{10}\b/g;

function learn({ learn: take }: Expected, answer: Answer | null): void {
  if (answer && answer.status < 300) take?.(answer.body as Record<string, unknown>);
}

function codeOf({ status, body }: Answer): string {
  return status < 400 ? '' : ` ${String((body as { code?: unknown }).code)}`;
}
