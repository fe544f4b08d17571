import { Injectable } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { type Socket, connect, type TcpNetConnectOpts } from 'node:net';
import { domainToASCII } from 'node:url';
import { shareSuccess } from '../kernel/turns.js';
import { isMailAddress, type Mailbox } from '../kernel/mail-address.js';
import { lookupBy, names } from '../kernel/name-resolver.js';
import { Config } from '../config/config.js';
import { DeliveryFailed } from './messages/backoff.js';
import type { Email } from './messages/email.js';
import { Duplex } from 'node:stream';

/** Milliseconds to send an email, including the connection. */
const DEADLINE = 60_000;
/** Milliseconds until the server is connected. */
const CONNECTION = 10_000;
/**
 * Bytes that a server may send in a session, TLS included. nodemailer bounds a reply, but keeps any number
 * of empty lines, and processes them one by one after the connection has closed: 250 kB keep it busy for
 * seconds.
 */
const MOST_RECEIVED = 64 * 1_024;

/** A failure of the SMTP server as nodemailer reports it. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

interface SentEmail {
  /** The recipients that the server accepted: at least one. */
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  /** Why it refused these, permanent if a retry helps none of them; null if it refused no one. */
  readonly refusal: DeliveryFailed | null;
}

/** The part of nodemailer's result that is used. */
interface SmtpResult {
  readonly rejected: readonly string[];
  readonly rejectedErrors?: readonly SmtpError[];
}

/** Sends emails through the SMTP server of the settings. */
@Injectable()
export class MailerService {
  private readonly transport = shareSuccess(() => transportTo(this.config.smtp!));

  constructor(private readonly config: Config) {}

  /**
   * Sends an email. When the promise resolves, the server has accepted it for at least one recipient.
   * @param id becomes the Message-ID; the same in every attempt
   * @throws {DeliveryFailed}
   */
  async send(
    email: Email,
    id: string,
    signal: AbortSignal,
    deadline = DEADLINE,
  ): Promise<SentEmail> {
    const { mailFrom, smtp } = this.config;
    if (!smtp || !mailFrom) throw new DeliveryFailed('Email is off.');
    const to = email.to.filter(({ address }) => isMailAddress(address)).map(addressee);
    if (to.length === 0) throw new DeliveryFailed('It has no recipient.', { permanent: true });
    const timeUp = AbortSignal.timeout(deadline);
    try {
      const transport = await this.transport();
      const sent = (await transport.sendMail({
        from: addressee(mailFrom),
        to,
        ...(email.replyTo && isMailAddress(email.replyTo.address)
          ? { replyTo: addressee(email.replyTo) }
          : {}),
        envelope: { from: mailFrom.address, to: to.map(({ address }) => address) },
        messageId: `<${id}@${mailFrom.address.split('@')[1]}>`,
        subject: email.subject,
        text: email.text,
        html: email.html,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.any([signal, timeUp]),
      })) as SmtpResult;
      return outcomeOf(
        sent,
        to.map(({ address }) => address),
      );
    } catch (error) {
      if (timeUp.aborted && !signal.aborted) {
        throw new DeliveryFailed(`It took longer than ${deadline / 1_000} seconds.`);
      }
      throw failureOf(error as SmtpError);
    }
  }
}

type SocketCallback = (
  error: Error | null,
  options: { readonly connection: Socket } | false,
) => void;

/** Imports nodemailer with the first email: many processes never send one. */
async function transportTo(smtp: NonNullable<Config['smtp']>): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    ...smtp,
    connectionTimeout: CONNECTION,
    greetingTimeout: 15_000,
    socketTimeout: 30_000,
    getSocket: (_options: unknown, done: SocketCallback) => {
      const options = { host: smtp.host, port: smtp.port, lookup: lookupBy(names.resolve) };
      BoundedSocket.open(options, CONNECTION, MOST_RECEIVED).then(
        (connection) => done(null, { connection: connection as BoundedSocket & Socket }),
        (error: Error) => done(Object.assign(error, { code: 'ECONNECTION' }), false),
      );
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function addressee({ name, address }: Mailbox) {
  return { name, address };
}

/** @param to as it was given: the result has the domains in ASCII */
function outcomeOf(
  { rejected, rejectedErrors = [] }: SmtpResult,
  to: readonly string[],
): SentEmail {
  const names = new Set(rejected.map(inAscii));
  const isRefused = (address: string) => names.has(inAscii(address));
  const first = rejectedErrors.find(({ responseCode = 0 }) => responseCode < 500);
  const error = first ?? rejectedErrors[0];
  return {
    accepted: to.filter((address) => !isRefused(address)),
    refused: to.filter(isRefused),
    refusal: error ? failureOf(error) : null,
  };
}

function inAscii(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return `${address.slice(0, at)}${domainToASCII(address.slice(at))}`;
}

/**
 * A 5yz reply about the message or its recipients is permanent (RFC 5321 §4.2.1). A refused password
 * or greeting is a fault of the settings or the server, which the operator can fix.
 */
function failureOf(error: SmtpError): DeliveryFailed {
  const { code = '', responseCode = 0 } = error;
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  return new DeliveryFailed(error.message, {
    permanent: aboutMessage && responseCode >= 500 && responseCode !== 503,
    unreachable: ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS'].includes(code),
    cause: error,
  });
}

/**
 * A connection that fails once it has received more than `most` bytes. A protocol such as TLS can run over
 * it: its bytes count as they arrive.
 */
class BoundedSocket extends Duplex {
  private received = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly most: number,
  ) {
    super();
    // Until nodemailer listens. The error also ends the email.
    this.on('error', () => undefined);
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
