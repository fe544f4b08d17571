import { IsString, MaxLength, MinLength } from 'class-validator';

/** Where the changes of your own orders are to be posted. */
export class WebhookRequest {
  /**
   * An `https` URL on the public internet, without user, password or fragment.
   * @example "https://hooks.example.com/orders"
   */
  @IsString({ message: 'Must be a text.' })
  @MinLength(1, { message: 'Must not be empty.' })
  @MaxLength(2000, { message: 'Must have at most 2000 characters.' })
  url: string;
}

/** Where the changes of your own orders are posted. */
export class Webhook {
  /** @example "https://hooks.example.com/orders" */
  url: string;

  /**
   * False: nothing is posted, see `disabledReason`. Register it again to enable it.
   * @example true
   */
  enabled: boolean;

  /** @example null */
  disabledReason: string | null;

  /**
   * UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
  createdAt: Date;
}

/** A webhook with its signing secret, which is shown this once. */
export class WebhookWithSecret extends Webhook {
  /**
   * Verifies the header `webhook-signature`, as in the Standard Webhooks specification.
   * @example "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
   */
  secret: string;
}
