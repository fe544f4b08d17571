import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A connection that fails once it has received more than `most` bytes. A protocol such as TLS can run over
 * it: its bytes count as they arrive.
 */
export class BoundedSocket extends Duplex {
  private received = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly most: number,
  ) {
    super();
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** @param timeout milliseconds until it is connected */
  static open(options: TcpNetConnectOpts, timeout: number, most: number): Promise<BoundedSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect(options);
      const error = new Error(`No connection within ${timeout / 1_000} seconds.`);
      const late = Object.assign(error, { code: 'ETIMEDOUT' });
      const timer = setTimeout(() => socket.destroy(late), timeout);
      socket.once('error', reject);
      socket.once('close', () => clearTimeout(timer));
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.off('error', reject);
        resolve(new BoundedSocket(socket, most));
      });
    });
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.socket.remotePort;
  }

  setTimeout(milliseconds: number): this {
    this.socket.setTimeout(milliseconds);
    return this;
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    // TLS over it reports its own error first.
    setImmediate(() => done(error));
  }

  private receive(chunk: Buffer): void {
    this.received += chunk.length;
    if (this.received > this.most) {
      this.destroy(new Error(`The server sent more than ${this.most} bytes.`));
    } else if (!this.push(chunk)) this.socket.pause();
  }
}
