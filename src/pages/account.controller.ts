import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { actorOf } from '../audit/audit.service.js';
import { Staff, type StaffCaller } from '../common/caller.js';
import { Page } from '../common/scopes.js';
import { SeeOther } from '../common/written-html.js';
import { Config } from '../config.js';
import { clearCookie } from '../staff/session-cookie.js';
import { SessionsService } from '../staff/sessions.service.js';

/** A member's own things: sessions, password, second factor. */
@Controller('staff')
@ApiExcludeController()
export class AccountController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly config: Config,
  ) {}

  @Get('account')
  @Page('agent')
  async showAccount(@Staff() caller: StaffCaller): Promise<string> {
    const sessions = await this.sessions.list(caller.staffId);
    return `Signed in at ${sessions.length} places.`;
  }

  @Post('sign-out')
  @Page('agent')
  async signOut(
    @Staff() caller: StaffCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SeeOther> {
    await this.sessions.end(caller.staffId, caller.sessionId!, 'signed-out', actorOf(caller));
    response.setHeader('Set-Cookie', clearCookie(this.config.publicUrl));
    return new SeeOther('/staff/sign-in?out');
  }
}
