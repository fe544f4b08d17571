import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { recordAnswer } from './answers.js';

export interface Reply<T> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed if it is JSON, otherwise text. */
  readonly body: T;
  /** Unparsed. */
  readonly text: string;
}

interface ReceivedReply<T> extends Reply<T> {
  /** Names and values alternate. */
  readonly rawHeaders: string[];
}

export interface RequestOptions {
  /** Sent as `Authorization: Bearer <token>`. */
  readonly token?: string;
  /** An array sends the header several times. */
  readonly headers?: OutgoingHttpHeaders;
}

export interface RawRequest extends RequestOptions {
  readonly method: string;
  /** Sent unchanged, even if it is not a valid path. */
  readonly path: string;
  readonly body?: string | Buffer;
}

/** A raw answer. */
export interface RecordedReply {
  readonly status: number;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/** A client that changes nothing in requests, unlike `fetch`. */
export class Http {
  private readonly agent = new http.Agent({ keepAlive: true });
  /** Runs before each request is sent. */
  prepare: ((request: RawRequest) => Promise<void>) | undefined;
  /** Receives each request; the result receives the answer. */
  record: ((request: RawRequest) => (reply: RecordedReply) => void) | undefined;

  constructor(readonly port: number) {}

  get<T = unknown>(path: string, options: RequestOptions = {}): Promise<Reply<T>> {
    return this.send({ ...options, method: 'GET', path });
  }

  /** `body` is sent as JSON. */
  post<T = unknown>(path: string, body: unknown, options: RequestOptions = {}): Promise<Reply<T>> {
    return this.send({
      ...options,
      method: 'POST',
      path,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...options.headers },
    });
  }

  async send<T = unknown>(sent: RawRequest): Promise<ReceivedReply<T>> {
    const { method, path, token, body } = sent;
    const recordReply = this.record?.(sent);
    await this.prepare?.(sent);
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          agent: this.agent,
          host: '127.0.0.1',
          port: this.port,
          method,
          path,
          headers: {
            ...(token !== undefined && { Authorization: `Bearer ${token}` }),
            ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
            ...sent.headers,
          },
        },
        (response) => {
          const { statusCode: status = 0, headers, rawHeaders } = response;
          text(response).then((answer) => {
            recordReply?.({ status, rawHeaders, text: answer });
            recordAnswer({ method, path, status, headers, text: answer });
            const json = /\bjson\b/.test(headers['content-type'] ?? '');
            const body = (json && answer !== '' ? JSON.parse(answer) : answer) as T;
            resolve({ status, headers, rawHeaders, body, text: answer });
          }, reject);
        },
      );
      request.on('error', reject).end(body);
    });
  }

  /** Sends these bytes on a separate connection. @returns all bytes until it is closed */
  async sendBytes(bytes: string): Promise<string> {
    return text(connect(this.port, '127.0.0.1').end(bytes));
  }

  /** The same, but the service has to close the connection. */
  async sendBytesAndStay(bytes: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  }

  close(): void {
    this.agent.destroy();
  }
}
