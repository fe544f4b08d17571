import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Page } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { AccountService } from '../../staff/account.service.js';
import { setCookie } from '../../staff/sessions/session-cookie.js';
import { newCodesPage, secondFactorPage, setUpPage } from './account.js';
import { Form, SentForm } from '../forms/form.js';
import { visitorOf } from './sign-in-ways.js';

/** A member's own second factor. */
@Controller('staff/account/second-factor')
@ApiExcludeController()
export class AccountSecondFactorController {
  constructor(
    private readonly account: AccountService,
    private readonly config: Config,
  ) {}

  /** To set one up, or where there is one, to change it. */
  @Get()
  @Page('agent')
  async showSecondFactor(@Staff() viewer: StaffCaller): Promise<WrittenHtml> {
    return (await this.account.hasSecondFactor(viewer.staffId))
      ? secondFactorPage({ viewer, isRequired: this.isRequired })
      : setUpPage({ viewer, ...(await this.account.setUp(viewer.staffId)) });
  }

  @Post()
  @Page('agent')
  async setUpSecondFactor(
    @Staff() viewer: StaffCaller,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    if (await this.account.hasSecondFactor(viewer.staffId)) {
      return new SeeOther('/staff/account/second-factor');
    }
    const sent = { code: form.text('code'), current: form.secret('current') };
    const { codes, faults, seconds } = await this.account.confirmSecondFactor(viewer, sent);
    if (codes) return newCodesPage(viewer, codes);
    const setUp = await this.account.setUp(viewer.staffId);
    return setUpPage({ viewer, ...setUp, faults, status: seconds ? 429 : 422 });
  }

  @Post('change')
  @Page('agent')
  async changeSecondFactor(
    @Staff() viewer: StaffCaller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    if (!(await this.account.hasSecondFactor(viewer.staffId))) {
      return new SeeOther('/staff/account/second-factor');
    }
    const what = form.text('what') === 'remove' ? 'remove' : 'codes';
    const sent = { what, code: form.text('code') } as const;
    const from = visitorOf(request, this.config);
    const change = await this.account.changeSecondFactor(viewer, sent, from);
    const { faults, codes, cookie, seconds } = change;
    if (faults) {
      if (seconds) response.setHeader('Retry-After', String(seconds));
      const { isRequired } = this;
      return secondFactorPage({ viewer, isRequired, faults, status: seconds ? 429 : 422 });
    }
    if (codes) return newCodesPage(viewer, codes);
    if (!cookie) return new SeeOther('/staff/account?done=second-factor');
    response.append('Set-Cookie', setCookie(this.config.publicUrl, cookie));
    return new SeeOther('/staff/sign-in/enrolment');
  }

  private get isRequired(): boolean {
    return this.config.staffSecondFactor === 'required';
  }
}
