import { Injectable } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { isMailAddress, type Mailbox } from '../common/mail-address.js';
import { Config } from '../config.js';
import { DeliveryFailed } from './delivery-failed.js';
import type { Letter } from './letter.js';

/** Milliseconds for a whole e-mail, the connection included. */
const DEADLINE = 60_000;

/** What a failing SMTP server says, as nodemailer passes it on. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** Sends letters through the SMTP server of the settings. */
@Injectable()
export class MailerService {
  private readonly transport: Transporter | undefined;

  constructor(private readonly config: Config) {
    if (!config.smtp) return;
    this.transport = createTransport({
      ...config.smtp,
      connectionTimeout: 10_000,
      greetingTimeout: 15_000,
      socketTimeout: 30_000,
      dnsTimeout: 10_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  get on(): boolean {
    return this.transport !== undefined;
  }

  /**
   * Sends a letter; when the promise resolves, the server has taken it for at least one recipient.
   * @param id becomes the Message-ID, the same in every attempt
   * @returns the recipients that the server refused
   * @throws {DeliveryFailed}
   */
  async send(
    letter: Letter,
    id: string,
    signal: AbortSignal,
    deadline = DEADLINE,
  ): Promise<number> {
    const { mailFrom } = this.config;
    if (!this.transport || !mailFrom) throw new DeliveryFailed('E-mail is off.');
    const to = letter.to.filter(({ address }) => isMailAddress(address)).map(addressee);
    if (to.length === 0) throw new DeliveryFailed('It has no recipient.', { permanent: true });
    const timeUp = AbortSignal.timeout(deadline);
    try {
      const sent = (await this.transport.sendMail({
        from: addressee(mailFrom),
        to,
        ...(letter.replyTo && isMailAddress(letter.replyTo.address)
          ? { replyTo: addressee(letter.replyTo) }
          : {}),
        envelope: { from: mailFrom.address, to: to.map(({ address }) => address) },
        messageId: `<${id}@${mailFrom.address.split('@')[1]}>`,
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.any([signal, timeUp]),
      })) as { rejected: string[] };
      return sent.rejected.length;
    } catch (error) {
      if (timeUp.aborted && !signal.aborted) {
        throw new DeliveryFailed(`It took longer than ${deadline / 1_000} seconds.`);
      }
      throw failureOf(error as SmtpError);
    }
  }
}

function addressee({ name, address }: Mailbox) {
  return { name, address };
}

/**
 * 5yz is a refusal for good (RFC 5321 §4.2.1), but only of the message or its recipients: a refused
 * password or greeting is a fault of the settings or of the server, which somebody will mend.
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
