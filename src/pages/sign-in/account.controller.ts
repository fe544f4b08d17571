import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { actorOf } from '../../audit/audit.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Page } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { AccountService } from '../../staff/account.service.js';
import { clearCookie, setCookie } from '../../staff/sessions/session-cookie.js';
import { SessionsService } from '../../staff/sessions/sessions.service.js';
import { accountPage, passwordPage } from './account.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { visitorOf } from './sign-in-ways.js';

const done = new Map([
  ['password', 'Your password is changed. Your other sessions have ended.'],
  ['ended', 'Ended.'],
  ['second-factor', 'Your second factor is removed.'],
]);

/** A member's own things: sessions and password. */
@Controller('staff')
@ApiExcludeController()
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly sessions: SessionsService,
    private readonly config: Config,
  ) {}

  @Get('account')
  @Page('agent')
  async showAccount(@Staff() viewer: StaffCaller, @QueryForm() query: Form): Promise<WrittenHtml> {
    const view = await this.account.view(viewer.staffId);
    return accountPage({ ...view, viewer, done: done.get(query.text('done')) });
  }

  @Get('account/password')
  @Page('agent')
  async showPassword(@Staff() viewer: StaffCaller): Promise<WrittenHtml> {
    const { email } = await this.account.requirePassword(viewer.staffId);
    return passwordPage({ viewer, email });
  }

  @Post('account/password')
  @Page('agent')
  async changePassword(
    @Staff() viewer: StaffCaller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const { email } = await this.account.requirePassword(viewer.staffId);
    const change = {
      current: form.secret('current'),
      password: form.secret('password'),
      again: form.secret('again'),
    };
    const from = visitorOf(request, this.config);
    const { cookie, faults, seconds } = await this.account.changePassword(viewer, change, from);
    if (!cookie) {
      if (seconds) response.setHeader('Retry-After', String(seconds));
      return passwordPage({ viewer, email, faults, status: seconds ? 429 : 422 });
    }
    response.append('Set-Cookie', setCookie(this.config.publicUrl, cookie));
    return new SeeOther('/staff/account?done=password');
  }

  @Post('account/sessions/end-others')
  @Page('agent')
  async endOtherSessions(@Staff() viewer: StaffCaller): Promise<SeeOther> {
    await this.sessions.endAllOf(viewer.staffId, actorOf(viewer), viewer.sessionId);
    return new SeeOther('/staff/account?done=ended');
  }

  /** Whether there was such a session or not: afterwards there is none. */
  @Post('account/sessions/:id/end')
  @Page('agent')
  async endSession(@Staff() viewer: StaffCaller, @Param('id') id: string): Promise<SeeOther> {
    await this.sessions.end(viewer.staffId, id, 'session-ended', actorOf(viewer));
    return new SeeOther('/staff/account?done=ended');
  }

  @Post('sign-out')
  @Page('agent')
  async signOut(
    @Staff() caller: StaffCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SeeOther> {
    await this.sessions.end(caller.staffId, caller.sessionId!, 'signed-out', actorOf(caller));
    response.append('Set-Cookie', clearCookie(this.config.publicUrl));
    return new SeeOther('/staff/sign-in?out');
  }
}
