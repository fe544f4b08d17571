import { describe, expect, it } from '@jest/globals';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { readConfig } from '../../src/platform/config/config.js';
import { MailerService } from '../../src/platform/notifications/mailer.service.js';
import { DeliveryFailed } from '../../src/platform/notifications/messages/backoff.js';
import { writeEmail } from '../../src/platform/notifications/messages/email.js';
import { until } from '../support/catalogue.js';
import { later } from '../support/closing.js';

const ID = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
const MB = 1024 * 1024;
/** Milliseconds that an email may take here. */
const DEADLINE = 1_000;
/** The same, where the server holds it up until then. */
const SHORT = 100;

/** The commands of one email, in order; `.` ends its text. */
const steps = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', '.', 'QUIT'] as const;
type Step = (typeof steps)[number];

const honest: Readonly<Record<Step, string>> = {
  greeting: '220 here',
  EHLO: '250-here\r\n250 8BITMIME',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  '.': '250 taken',
  QUIT: '221 bye',
};

/** A server that answers one step as the test says, and the others as it should. `text` is each line of an email. */
class HostileSmtp {
  /** Everything that the client sent. */
  received = '';
  sent = 0;
  readonly sockets = new Set<Socket>();

  private constructor(
    readonly port: number,
    private readonly step: string,
    private readonly answer: (socket: Socket) => unknown,
  ) {}

  static async start(step: string, answer: (socket: Socket) => unknown): Promise<HostileSmtp> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hostile = new HostileSmtp(port, step, answer);
    server.on('connection', (socket) => hostile.serve(socket));
    later(() => {
      for (const socket of hostile.sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return hostile;
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.sent += socket.bytesWritten;
      this.sockets.delete(socket);
    });
    let isText = false;
    this.say('greeting', socket);
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      this.received += text;
      for (const line of text.split('\r\n').slice(0, -1)) {
        const word = isText ? line : line.split(' ')[0]!.toUpperCase();
        if (isText && word !== '.') {
          if (this.step === 'text') this.answer(socket);
          continue;
        }
        isText = word === 'DATA';
        this.say(word, socket);
      }
    });
  }

  private say(step: string, socket: Socket): void {
    if (step === this.step) this.answer(socket);
    else if (step in honest) socket.write(`${honest[step as Step]}\r\n`);
    else socket.write('502 unknown\r\n');
  }
}

/** Sends an email, which ends and closes the connection. @returns why it failed, if it did */
async function sendTo(
  { port, sockets }: HostileSmtp,
  { query = '', user = '', deadline = DEADLINE } = {},
): Promise<DeliveryFailed | undefined> {
  const config = readConfig({
    SMTP_URL: `smtp://${user}localhost:${port}${query}`,
    MAIL_FROM: 'Orders <orders@operator.example>',
  });
  const email = writeEmail({
    to: [{ name: 'Ada', address: 'ada@example.com' }],
    subject: 'Hello',
    parts: [{ paragraph: 'Hello' }],
  });
  const never = new AbortController().signal;
  const failure = await new MailerService(config).send(email, ID, never, deadline).then(
    () => undefined,
    (error: unknown) => error,
  );
  await until(() => sockets.size === 0);
  return failure as DeliveryFailed | undefined;
}

/** As `sendTo`, which fails and may be tried again. */
async function failingWith(
  server: HostileSmtp,
  about?: Parameters<typeof sendTo>[1],
): Promise<void> {
  const failure = await sendTo(server, about);
  expect(failure).toBeInstanceOf(DeliveryFailed);
  expect(failure).toMatchObject({ permanent: false });
}

/** Writes for as long as the client reads. */
const endlessly = (text: string) => (socket: Socket) => {
  const go = () => {
    while (!socket.destroyed && socket.write(text.repeat(1_000)));
  };
  socket.on('drain', go);
  go();
};

describe('a hostile mail server does not hold up an email', () => {
  const before = steps.slice(0, -1);

  it.each(before)('that it never answers: %s', async (step) => {
    await failingWith(await HostileSmtp.start(step, () => undefined), { deadline: SHORT });
  });

  it.each(before)('whose answer comes a byte at a time: %s', async (step) => {
    const server = await HostileSmtp.start(step, (socket) => {
      const timer = setInterval(() => socket.write('2'), 10);
      socket.once('close', () => clearInterval(timer));
    });
    await failingWith(server, { deadline: SHORT });
  });

  it.each(before)('whose connection it closes: %s', async (step) => {
    await failingWith(await HostileSmtp.start(step, (socket) => socket.destroy()));
  });

  it('that goes away in the middle of the text', async () => {
    await failingWith(await HostileSmtp.start('text', (socket) => socket.destroy()));
  });

  it.each(before)('whose connection it ends in the middle of an answer: %s', async (step) => {
    await failingWith(await HostileSmtp.start(step, (socket) => socket.end('250-half an')));
  });

  it.each([
    ['a line without an end', 'x'],
    ['a reply without an end', '250-more\r\n'],
    ['replies without an end', '250 ok\r\n'],
    ['empty lines without an end', '\r\n'],
  ])('with %s', async (_what, text) => {
    for (const step of ['greeting', 'EHLO'] as const) {
      const server = await HostileSmtp.start(step, endlessly(text));
      await sendTo(server);
      expect(server.sent).toBeLessThan(16 * MB);
    }
  });
});

describe('a connection from which STARTTLS was stripped', () => {
  const about = { query: '?requireTLS=true', user: 'user:hunter2@', deadline: 300 };
  /** What must not leave without TLS. */
  const secrets = /AUTH|hunter2|aHVudGVyMg|MAIL FROM|ada@example/i;

  it.each([
    ['is not offered', 'STARTTLS', (socket: Socket) => socket.write('502 unknown\r\n')],
    ['is refused', 'STARTTLS', (socket: Socket) => socket.write('454 not now\r\n')],
    [
      'is answered in plain text',
      'STARTTLS',
      (socket: Socket) => socket.write('220 go\r\n250 ok\r\n'),
    ],
    [
      'is answered by noise',
      'STARTTLS',
      (socket: Socket) => socket.write('220 go\r\n\u0016\u0003'),
    ],
    [
      'gives way to AUTH',
      'EHLO',
      (socket: Socket) => socket.write('250-here\r\n250 AUTH PLAIN\r\n'),
    ],
    ['needs EHLO, which is refused', 'EHLO', (socket: Socket) => socket.write('502 unknown\r\n')],
  ])('carries neither password nor email where it %s', async (_how, step, answer) => {
    const server = await HostileSmtp.start(step, answer);
    await failingWith(server, about);
    expect(server.received).not.toMatch(secrets);
  });

  it('is refused for every server that is not on this machine, unless the setting allows it', () => {
    const required = (url: string) =>
      readConfig({ SMTP_URL: url, MAIL_FROM: 'a@x.example' }).smtp?.requireTLS;
    expect(required('smtp://mail.example')).toBe(true);
    expect(required('smtp://mail.example?requireTLS=false')).toBe(false);
  });
});
