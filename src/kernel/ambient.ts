import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value that work finds without being handed it. Once somebody has used an AsyncLocalStorage, Node up
 * to 22 notes its value on everything asynchronous that is made, which costs a check a tenth of its
 * time: this one is put away whenever no work is in it.
 */
export class Ambient<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private inside = 0;

  /** What the running work was given; undefined when that has ended. */
  get value(): T | undefined {
    return this.storage.getStore();
  }

  /** Runs `work`, which finds `value` until the promise settles. */
  async around<R>(value: T, work: () => Promise<R>): Promise<R> {
    this.inside += 1;
    try {
      return await this.storage.run(value, work);
    } finally {
      this.leave();
    }
  }

  /** Runs `work`; what it starts finds `value` until the function that is answered is called, once. */
  enter(value: T, work: () => void): () => void {
    this.inside += 1;
    this.storage.run(value, work);
    return () => this.leave();
  }

  private leave(): void {
    this.inside -= 1;
    if (this.inside === 0) this.storage.disable();
  }
}
