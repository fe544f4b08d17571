import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { searchForCost } from './answers.js';
import { later } from './closing.js';

/** Self-signed, for `localhost`; also its own authority. The key is no secret. */
export const certificate = {
  cert: readFileSync('test/fixtures/localhost-cert.pem', 'utf8'),
  key: readFileSync('test/fixtures/localhost-key.pem', 'utf8'),
  file: 'test/fixtures/localhost-cert.pem',
};

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  /** With quoted-printable parts decoded. */
  readonly source: string;
}

export interface MailRules {
  /** Refuses the recipient with this reply, such as `450`. */
  readonly refuseRecipient?: (address: string) => number | undefined;
  /** Refuses the message with this reply. */
  readonly refuseMessage?: () => number | undefined;
  /** Milliseconds until a message is answered. */
  readonly slow?: number;
}

/** A real SMTP server that stores messages. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  private server: SMTPServer | undefined;
  rules: MailRules = {};

  private constructor(private readonly options: SMTPServerOptions) {}

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
    const server = new MailServer(options);
    await server.listen(port);
    later(() => server.stop());
    return server;
  }

  get port(): number {
    return (this.server?.server.address() as AddressInfo).port;
  }

  /** Waits for its former port if another process uses it. */
  async listen(port: number): Promise<void> {
    const giveUp = Date.now() + 20_000;
    for (;;) {
      const server = this.newServer();
      try {
        await new Promise<void>((resolve, reject) => {
          // Ignores later errors of its connections.
          server.on('error', reject);
          server.listen(port, '127.0.0.1', resolve);
        });
        this.server = server;
        return;
      } catch (error) {
        const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!isTaken || Date.now() > giveUp) throw error;
        await sleep(100);
      }
    }
  }

  private newServer(): SMTPServer {
    return new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      closeTimeout: 100,
      ...this.options,
      onRcptTo: ({ address }, _session, callback) => {
        callback(refusal(this.rules.refuseRecipient?.(address), `<${address}> not now`));
      },
      onData: (stream, session, callback) => {
        void text(stream).then((source) => {
          searchForCost('an email', decoded(source));
          const code = this.rules.refuseMessage?.();
          if (code === undefined) {
            this.mails.push({
              from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
              to: session.envelope.rcptTo.map(({ address }) => address),
              secure: session.secure,
              source: decoded(source),
            });
          }
          setTimeout(() => callback(refusal(code, 'not this')), this.rules.slow ?? 0).unref();
        });
      },
    });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.server) this.server.close(() => resolve());
      else resolve();
      this.server = undefined;
    });
  }
}

function refusal(code: number | undefined, why: string): Error | null {
  return code === undefined ? null : Object.assign(new Error(why), { responseCode: code });
}

function decoded(source: string): string {
  const bytes = source
    .replaceAll('=\r\n', '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (run) =>
      Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'),
    );
  return bytes.replaceAll('\r\n', '\n');
}
