import { ApiSchema, IntersectionType, PartialType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min, ValidateIf } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import type { Interconnect } from '../platform/access/caller.js';
import { IsMailAddress, IsText, IsTextUpTo } from '../platform/http/field-rules.js';
import {
  compatibilities,
  type Compatibility,
  type ClientNearNet,
  clientNearNets,
  onOrOff,
  type OnOrOff,
} from '../platform/kernel/client-options.js';
import { whole } from '../platform/kernel/counts.js';

const Trimmed = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

const IsLimit = (most = 10_000_000): PropertyDecorator => {
  const message = `Enter a whole number from 1 to ${whole(most)}.`;
  return applyDecorators(
    IsOptional(),
    IsInt({ message }),
    Min(1, { message }),
    Max(most, { message }),
  );
};

/** The details of an API client. */
export class ClientDetails {
  /** The company. No other API client has this name. @maxLength 120 @example "Example Reseller" */
  @Trimmed()
  @IsText(120)
  name: string;

  /** Who to contact there. @kind person */
  @Trimmed()
  @IsText(120)
  contactName: string;

  /** Where notices about its tokens go. @kind email */
  @Trimmed()
  @IsTextUpTo(254)
  @IsMailAddress()
  contactEmail: string;

  /** The phone number of the contact. @kind phone */
  @Trimmed()
  @IsText(40)
  @Matches(/^(?=.*\d)[+\d(][\d\s()./-]*$/, {
    message: 'Enter a phone number with digits, spaces, brackets, dots and hyphens only.',
  })
  contactPhone: string;

  /** Its price list, which the live catalogue need not have yet. @kind priceList */
  @Trimmed()
  @IsText(32)
  @Matches(/^[a-z0-9][a-z0-9-]*$/i, {
    message: 'Enter a price list with letters, digits and hyphens only.',
  })
  priceList: string;

  /** The API version of its answers, `0.3` or `0.2`. @example "0.3" */
  @IsIn(compatibilities, { message: `Must be one of ${compatibilities.join(', ')}.` })
  compatibility: Compatibility;

  /** Who sees prices by distance: `staff`, `all` (also the client), `off`, or `default`: as configured. @example "default" */
  // IsOptional would let null pass, which is no setting.
  @ValidateIf((_client, value) => value !== undefined)
  @IsIn(clientNearNets, { message: `Must be one of ${clientNearNets.join(', ')}.` })
  nearNet?: ClientNearNet;

  /** Whether its contact gets the operator's messages by email: `on` or `off`. Without a webhook it gets them in any case. @example "on" */
  @ValidateIf((_client, value) => value !== undefined)
  @IsIn(onOrOff, { message: 'Must be one of on, off.' })
  messageEmails?: OnOrOff;
}

/** As in `GET me`. */
@ApiSchema({ description: 'Where the networks of the operator and of the client meet.' })
export class ClientInterconnect implements Interconnect {
  /** What orders name. @kind interconnect */
  @Trimmed()
  @IsText(32)
  @Matches(/^[A-Z0-9][A-Z0-9-]*$/, {
    message: 'Enter a code of capital letters, digits and hyphens, such as NNI-LON1.',
  })
  code: string;

  /** What it is, for people: one line. @maxLength 120 @example "Telehouse North, 10G" */
  @Trimmed()
  @IsText(120)
  label: string;
}

/** Details that change; the others stay. */
export class ClientDetailsChange extends PartialType(ClientDetails, {
  skipNullProperties: false,
}) {}

export class ClientLimitChange {
  /** Checks a minute; null for the default. @kind allowance @example 1200 */
  @IsLimit()
  lookupsPerMinute?: number | null;

  /** Checks a second; null for the default. @kind allowance @example 200 */
  @IsLimit()
  lookupsPerSecond?: number | null;

  /** Orders a minute; null for the default. @kind allowance @example 60 */
  @IsLimit()
  ordersPerMinute?: number | null;

  /** Concurrent requests; null for the default. @kind allowance @maximum 100000 @example 20 */
  @IsLimit(100_000)
  inFlight?: number | null;
}

export class SeenClient {
  /** `version` of the client as the caller saw it. If it has changed, the change is refused. @kind count @example 3 */
  @IsInt({ message: 'Must be a whole number: the version that the caller saw.' })
  @Min(0, { message: 'Must be a whole number: the version that the caller saw.' })
  version: number;
}

/** All that the form of a client has. */
export class ClientEdit extends IntersectionType(SeenClient, ClientDetails, ClientLimitChange) {}
