import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { AnsweringThread } from '../../platform/kernel/answering-thread.js';
import { Counters } from '../../platform/kernel/counters.js';
import { RateLimited, Unavailable } from '../../platform/problems/problem.js';
import type { DocumentBrand, DocumentRequest } from './documents.js';
import type { DocumentResponse } from './pdf.worker.js';
import { buffersOf, type SentDocument, sentDocument } from './sent-document.js';

/** Runs work one piece at a time. Callers take turns: the one that had the last turn waits for the others. */
export class CallerQueue {
  /** By caller. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private running: string | undefined;

  /** Pieces that wait or run. */
  get length(): number {
    const waiting = [...this.waiting.values()].reduce((sum, { length }) => sum + length, 0);
    return waiting + (this.running === undefined ? 0 : 1);
  }

  lengthOf(caller: string): number {
    return (this.waiting.get(caller)?.length ?? 0) + (this.running === caller ? 1 : 0);
  }

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.running === undefined) this.running = caller;
    else await this.turnOf(caller);
    try {
      return await work();
    } finally {
      this.startNext(caller);
    }
  }

  private turnOf(caller: string): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const own = this.waiting.get(caller);
    if (own) own.push(turn.resolve);
    else this.waiting.set(caller, [turn.resolve]);
    return turn.promise;
  }

  private startNext(last: string): void {
    const others = this.waiting.get(last);
    if (others) {
      // Behind the other callers.
      this.waiting.delete(last);
      this.waiting.set(last, others);
    }
    const [first] = this.waiting;
    this.running = first?.[0];
    if (!first) return;
    const [caller, own] = first;
    const start = own.shift()!;
    if (own.length === 0) this.waiting.delete(caller);
    start();
  }
}

/** Of headings, where the operator has set no colour. */
const COLOUR = '#1f4fd8';

/** Documents that wait for the thread, with the one that it draws. */
const MOST_WAITING = 16;
const MOST_OF_CALLER = 2;

/**
 * Draws quotes and proposals as PDF, in a thread: 500 lines take a quarter of a second. Callers take turns. What a
 * document says is read when it is drawn: those that wait take no memory.
 */
@Injectable()
export class DocumentsService implements OnModuleDestroy {
  private readonly thread = new AnsweringThread<SentDocument, DocumentResponse>(
    new URL('./pdf.worker.js', import.meta.url),
    { resourceLimits: { maxYoungGenerationSizeMb: 16 } },
  );

  private readonly queue = new CallerQueue();
  readonly brand: DocumentBrand;

  constructor(
    { brandName: name, brandColour }: Config,
    private readonly counters: Counters,
  ) {
    this.brand = { name, colour: brandColour?.light ?? COLOUR };
  }

  onModuleDestroy(): Promise<void> {
    return this.thread.end();
  }

  /**
   * @param caller who waits for it
   * @param read what it says
   * @throws {RateLimited | Unavailable}
   */
  async draw(caller: string, read: () => Promise<DocumentRequest>): Promise<Buffer> {
    this.refuseFull(caller);
    return this.queue.run(caller, async () => {
      const sent = await sentDocument(await read());
      const drawn = await this.thread.ask(sent, buffersOf(sent));
      if (drawn instanceof Error) throw drawn;
      return Buffer.from(drawn.buffer, drawn.byteOffset, drawn.byteLength);
    });
  }

  /** @throws {RateLimited | Unavailable} where too many documents wait, of the caller or of all */
  refuseFull(caller: string): void {
    if (this.queue.lengthOf(caller) >= MOST_OF_CALLER) {
      this.counters.countLimited('documents');
      throw new RateLimited(`The limit is ${MOST_OF_CALLER} documents at the same time.`, 2, {
        policy: `"documents";q=${MOST_OF_CALLER};qu="concurrent-requests"`,
        state: '"documents";r=0;t=2',
      });
    }
    if (this.queue.length >= MOST_WAITING) {
      throw new Unavailable('Too many documents are drawn at the moment.', undefined, 2);
    }
  }
}
