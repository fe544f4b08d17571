import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/engine/tx.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { LinksService } from './links.service.js';
import { SignInDelaysService } from './sign-in-delays.service.js';

/** Deletes ended sessions, expired links and old delays. */
@Injectable()
export class SignInRetentionService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly links: LinksService,
    private readonly delays: SignInDelaysService,
  ) {}

  /** @returns the number of deleted rows */
  async prune(tx: Tx, most: number): Promise<number> {
    let deleted = 0;
    for (const one of [this.sessions, this.links, this.delays])
      deleted += await one.prune(tx, most);
    return deleted;
  }
}
