import { ApiSchema, PickType } from '@nestjs/swagger';
import { IsText } from '../http/field-rules.js';

@ApiSchema({ description: 'A webhook to register.' })
export class WebhookRegistration {
  /**
   * An `https` URL on the public internet, without user, password or fragment.
   * @format uri
   * @example "https://hooks.example.com/orders"
   */
  @IsText(2000)
  url: string;
}

@ApiSchema({ description: 'A webhook for changes of your own orders.' })
export class Webhook {
  /**
   * The URL that receives events.
   * @format uri
   * @maxLength 2000
   * @example "https://hooks.example.com/orders"
   */
  url: string;

  /** A disabled webhook receives nothing, see `disabledReason`. Register it again to enable it. */
  enabled: boolean;

  /** Why it is disabled; null if it is enabled. @maxLength 200 @example "It answered 410 Gone." */
  disabledReason: string | null;

  /**
   * Since when it is paused, UTC: it has failed for a day and gets one attempt an hour, until one
   * succeeds. Null while it works. To resume it at once, register it again.
   */
  pausedAt: Date | null;

  /** When it was first registered, UTC. */
  createdAt: Date;
}

@ApiSchema({ description: 'A webhook with its signing secret, which is shown only once.' })
export class WebhookWithSecret extends PickType(Webhook, ['url', 'createdAt']) {
  /**
   * Verifies the header `webhook-signature`, as in the Standard Webhooks specification.
   * @maxLength 60
   * @pattern ^whsec_[A-Za-z0-9+/]{43}=$
   * @example "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
   */
  secret: string;
}
