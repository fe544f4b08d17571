import { Injectable } from '@nestjs/common';

/**
 * Node accepts one connection in a turn of the event loop: before each piece of work there are this many
 * turns, but not for longer than these milliseconds.
 */
const TURNS = 64;
const LONGEST_WAIT = 5;

/**
 * Starts heavy work piece by piece, with turns of the event loop in between. In these, the service counts
 * the requests that have arrived, and answers checks. With SQLite, a request holds the event loop until it
 * ends: requests that arrive together would wait in their sockets, where no limit counts them.
 */
@Injectable()
export class TurnsService {
  private readonly waiting: (() => void)[] = [];

  /** Resolves when the caller may start. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) this.startAfter(TURNS, performance.now());
    });
  }

  private startAfter(turns: number, since: number): void {
    if (turns > 0 && performance.now() - since < LONGEST_WAIT) {
      setImmediate(() => this.startAfter(turns - 1, since));
      return;
    }
    this.waiting.shift()!();
    if (this.waiting.length > 0) this.startAfter(TURNS, performance.now());
  }
}
