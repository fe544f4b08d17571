import http, {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
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
  /** Closes an idle connection before the service does: a request must not meet a connection that is closed. */
  private readonly agent = new http.Agent({ keepAlive: true, timeout: 60_000 });
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
    const { method, path } = sent;
    const recordReply = this.record?.(sent);
    const response = await this.respond(sent);
    const { statusCode: status = 0, headers, rawHeaders } = response;
    const answer = await text(response);
    recordReply?.({ status, rawHeaders, text: answer });
    recordAnswer({ method, path, status, headers, text: answer }, sent.token);
    const json = /\bjson\b/.test(headers['content-type'] ?? '');
    const body = (json && answer !== '' ? JSON.parse(answer) : answer) as T;
    return { status, headers, rawHeaders, body, text: answer };
  }

  /** The answer while it arrives, for files and streams of events. */
  async open(path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    const response = await this.respond({ ...options, method: 'GET', path });
    const { statusCode: status = 0, headers } = response;
    // Files and streams are not described by a schema.
    if (status === 200) recordAnswer({ method: 'GET', path, status, headers, text: '' });
    return response;
  }

  /** Sends these bytes on a separate connection. @returns all bytes until it is closed */
  sendBytes(bytes: string): Promise<string> {
    return answerOn(connect(this.port, '127.0.0.1').end(bytes), bytes);
  }

  /** The same, but the service has to close the connection. */
  sendBytesAndStay(bytes: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    socket.write(bytes);
    return answerOn(socket, bytes);
  }

  private async respond(sent: RawRequest): Promise<IncomingMessage> {
    const { method, path, token, body } = sent;
    await this.prepare?.(sent);
    return new Promise((resolve, reject) => {
      const headers = {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
        ...sent.headers,
      };
      const to = { agent: this.agent, host: '127.0.0.1', port: this.port, method, path, headers };
      http.request(to, resolve).on('error', reject).end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** All bytes until the socket is closed. The answers are recorded in the order of their requests. */
export async function answerOn(socket: Socket, sent: string): Promise<string> {
  const bytes = await buffer(socket);
  const requests = [...sent.matchAll(/^([A-Z]+) (\S+) HTTP\/1\.1\r$/gm)];
  for (const [i, { status, headers, text }] of repliesIn(bytes).entries()) {
    const [, method, path] = requests[i] ?? [];
    if (method && path) recordAnswer({ method, path, status, headers, text });
  }
  return bytes.toString();
}

/** The replies in the bytes of a connection. */
export function repliesIn(bytes: Buffer): Reply<unknown>[] {
  const replies: Reply<unknown>[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...lines] = rest.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((it) => [
        it.slice(0, it.indexOf(':')).toLowerCase(),
        it.slice(it.indexOf(':') + 1).trim(),
      ]),
    );
    const after = end + 4 + Number(headers['content-length'] ?? rest.length);
    const text = rest.subarray(end + 4, after).toString();
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
    replies.push({ status: Number(line.split(' ')[1]), headers, text, body });
    rest = rest.subarray(after);
  }
  return replies;
}
