import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Caller } from '../access/caller.js';
import { AccessService } from './access.service.js';

/** RFC 6750 bearer tokens, found by passport-http-bearer and looked up by AccessService. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly access: AccessService) {
    super();
  }

  validate(token: string): Promise<Caller> {
    return this.access.callerOf(token);
  }
}
