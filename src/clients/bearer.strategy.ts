import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Caller } from '../platform/access/caller.js';
import { AccessService } from './access.service.js';

/**
 * RFC 6750 bearer tokens. passport-http-bearer only parses the `Authorization` header here, and only of
 * requests whose header is not recognised yet. It would take a token from the body or the query, too:
 * BearerGuard refuses those before, and two headers. AccessService decides about the token, BearerGuard
 * about scopes and answers. Nothing of passport is used for staff sessions.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly access: AccessService) {
    super();
  }

  validate(token: string): Promise<Caller> {
    return this.access.callerOf(token);
  }
}
