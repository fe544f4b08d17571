import { describe, expect, it } from '@jest/globals';
import { Config, readConfig } from '../../src/platform/config/config.js';
import { HOUR } from '../../src/platform/kernel/time.js';
import { DeliveryFailed } from '../../src/platform/notifications/messages/backoff.js';
import { writeEmail } from '../../src/platform/notifications/messages/email.js';
import { MailerService } from '../../src/platform/notifications/mailer.service.js';
import { until } from '../support/catalogue.js';
import { certificate, MailServer } from '../support/mail-server.js';

const ID = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
const never = new AbortController().signal;

function mailer(url: string): MailerService {
  const config: Config = readConfig({
    SMTP_URL: url,
    MAIL_FROM: 'Orders <orders@operator.example>',
  });
  return new MailerService(config);
}

function letterTo(...addresses: string[]) {
  return writeEmail({
    to: addresses.map((address) => ({ name: 'Ada "L"', address })),
    subject: 'Grüße\r\nBcc: all@example.com',
    parts: [{ paragraph: 'Hello' }],
  });
}

function failureOf(sending: Promise<unknown>): Promise<DeliveryFailed> {
  return sending.then(
    () => {
      throw new Error('It was sent.');
    },
    (error: unknown) => error as DeliveryFailed,
  );
}

describe('An email over SMTP', () => {
  it('arrives with both parts, its own id, and no injected header', async () => {
    const server = await MailServer.start();
    await mailer(`smtp://localhost:${server.port}`).send(letterTo('ada@example.com'), ID, never);
    const [mail] = server.mails;
    expect([mail?.from, mail?.to]).toEqual(['orders@operator.example', ['ada@example.com']]);
    const [head] = mail?.source.split('\n\n') ?? [];
    expect(head).toContain(`Message-ID: <${ID}@operator.example>`);
    expect(head).toContain('From: Orders <orders@operator.example>');
    expect(head).toContain('Auto-Submitted: auto-generated');
    expect(head).toContain('multipart/alternative');
    expect(head).not.toMatch(/^Bcc:/im);
    expect(mail?.source).toMatch(
      /Content-Type: text\/plain[^]*Hello[^]*text\/html[^]*<p>Hello<\/p>/,
    );
  });

  it('arrives at the recipients that the server accepts', async () => {
    const server = await MailServer.start();
    server.rules = { refuseRecipient: (to) => (to === 'bob@example.com' ? 550 : undefined) };
    const sending = mailer(`smtp://localhost:${server.port}`);
    const letter = letterTo('ada@example.com', 'bob@example.com');
    const { refused, refusal } = await sending.send(letter, ID, never);
    expect([refused, server.mails[0]?.to]).toEqual([['bob@example.com'], ['ada@example.com']]);
    expect(refusal).toMatchObject({ permanent: true, message: expect.stringContaining('550') });
  });

  it.each([
    ['greylisted', 450, { permanent: false, unreachable: false }],
    ['over quota', 452, { permanent: false, unreachable: false }],
    ['unknown', 550, { permanent: true, unreachable: false }],
  ])('fails where its recipient is %s (%i)', async (_what, code, expected) => {
    const server = await MailServer.start();
    server.rules = { refuseRecipient: () => code };
    const sending = mailer(`smtp://localhost:${server.port}`);
    const failure = await failureOf(sending.send(letterTo('ada@example.com'), ID, never));
    expect(failure).toMatchObject(expected);
    expect(failure.message).toContain(String(code));
    expect(failure.message).not.toContain('ada@');
  });

  it.each([
    [451, false],
    [554, true],
  ])('fails where the message itself is refused with %i', async (code, permanent) => {
    const server = await MailServer.start();
    server.rules = { refuseMessage: () => code };
    const sending = mailer(`smtp://localhost:${server.port}`);
    const failure = await failureOf(sending.send(letterTo('ada@example.com'), ID, never));
    expect(failure).toMatchObject({ permanent, unreachable: false });
  });

  it('fails temporarily if no server listens', async () => {
    const server = await MailServer.start();
    const { port } = server;
    await server.stop();
    const sending = mailer(`smtp://localhost:${port}`);
    const failure = await failureOf(sending.send(letterTo('ada@example.com'), ID, never));
    expect(failure).toMatchObject({ permanent: false, unreachable: true });
  });

  it('fails temporarily if the server takes too long', async () => {
    const server = await MailServer.start();
    server.rules = { slow: HOUR };
    const sending = mailer(`smtp://localhost:${server.port}`);
    const failure = await failureOf(sending.send(letterTo('ada@example.com'), ID, never, 300));
    expect(failure).toMatchObject({
      permanent: false,
      message: 'It took longer than 0.3 seconds.',
    });
  });

  it('is aborted when the service stops', async () => {
    const server = await MailServer.start();
    server.rules = { slow: HOUR };
    const breaker = new AbortController();
    const sending = mailer(`smtp://localhost:${server.port}`);
    const failed = failureOf(sending.send(letterTo('ada@example.com'), ID, breaker.signal));
    await until(() => server.mails.length > 0);
    breaker.abort();
    expect(await failed).toBeInstanceOf(DeliveryFailed);
  });

  it.each([[[]], [['ada@example.com\r\nRCPT TO:<eve@example.com>']]])(
    'fails permanently without a valid recipient: %j',
    async (addresses) => {
      const sending = mailer('smtp://localhost:1').send(letterTo(...addresses), ID, never);
      expect(await failureOf(sending)).toMatchObject({ permanent: true });
    },
  );

  it('fails temporarily if the server refuses the password', async () => {
    const server = await MailServer.start({
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => callback(new Error('no')),
    });
    const sending = mailer(`smtp://user:hunter2@localhost:${server.port}`);
    const failure = await failureOf(sending.send(letterTo('ada@example.com'), ID, never));
    expect(failure).toMatchObject({ permanent: false });
    expect(failure.message).not.toContain('hunter2');
  });
});

describe('TLS over SMTP', () => {
  const { cert, key, file } = certificate;

  it.each([
    ['STARTTLS', 'smtp', { cert, key, disabledCommands: [] }, '?requireTLS=true&ca='],
    ['implicit', 'smtps', { cert, key, secure: true }, '?ca='],
  ])('%s: verifies the certificate', async (_kind, protocol, options, query) => {
    const server = await MailServer.start(options);
    const url = `${protocol}://localhost:${server.port}`;
    await mailer(`${url}${query}${file}`).send(letterTo('ada@example.com'), ID, never);
    expect(server.mails.map(({ secure }) => secure)).toEqual([true]);
    const untrusting = mailer(`${url}${query.replace(/[?&]ca=$/, '')}`);
    const failure = await failureOf(untrusting.send(letterTo('ada@example.com'), ID, never));
    expect(failure).toMatchObject({ permanent: false });
    expect(failure.message).toMatch(/self.signed/i);
    expect(server.mails).toHaveLength(1);
  });

  it('sends nothing if STARTTLS is required and not offered', async () => {
    const server = await MailServer.start();
    const sending = mailer(`smtp://localhost:${server.port}?requireTLS=true`);
    expect(await failureOf(sending.send(letterTo('ada@example.com'), ID, never))).toMatchObject({
      permanent: false,
    });
    expect(server.mails).toEqual([]);
  });
});
