import { Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Response } from 'express';
import { actorOf } from '../../platform/audit/audit.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { SeeOther, type WrittenHtml } from '../../platform/http/written.js';
import { Config } from '../../platform/config/config.js';
import { AccountService, type AccountChange } from '../account.service.js';
import { clearCookie, setCookie } from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { FailedAttemptsService } from '../../platform/limits/failed-attempts.service.js';
import { type FormField, refuseForm } from '../../platform/ui/forms/form-spec.js';
import { page } from '../../platform/ui/render.js';
import { FlashMessages } from '../../platform/ui/flash-messages.js';
import {
  AccountPage,
  changePasswordFields,
  PasswordPage,
  SecondFactorPage,
  SetUpPage,
} from './account.js';
import { changeCodeFields, RecoveryCodesPage, setUpCodeFields } from './sign-in.js';
import { visitorOf } from './sign-in-ways.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';

const SECOND_FACTOR = '/staff/account/second-factor';

const messages = new FlashMessages({
  'password-changed': 'Password changed. Your other sessions have ended.',
  'session-ended': 'Session ended.',
  'second-factor-removed': 'Second factor removed.',
});

@StaffPages('staff', 'agent')
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly sessions: SessionsService,
    private readonly failures: FailedAttemptsService,
    private readonly config: Config,
  ) {}

  @Get('account')
  async showAccount(@Visited() { viewer, query }: Visit) {
    const account = await this.account.view(viewer.staffId);
    return page(<AccountPage viewer={viewer} account={account} said={messages.in(query)} />);
  }

  @Get('account/password')
  async showPassword(@Visited() { viewer }: Visit) {
    const { email } = await this.account.requirePassword(viewer.staffId);
    return page(<PasswordPage viewer={viewer} email={email} />);
  }

  @Post('account/password')
  async changePassword(@Visited() { viewer, request, response, form }: Visit) {
    const { email } = await this.account.requirePassword(viewer.staffId);
    const typed = {
      current: form.secret('current'),
      password: form.secret('password'),
      again: form.secret('again'),
    };
    const from = visitorOf(request, this.config);
    const change = await this.failures.attempt(
      request,
      'sign-in',
      () => this.account.changePassword(viewer, typed, from),
      isProven,
    );
    const { cookie } = change;
    if (cookie === undefined) {
      const { refused, status } = refusedBy(change, changePasswordFields, form, response);
      return page(<PasswordPage viewer={viewer} email={email} refused={refused} />, status);
    }
    response.append('Set-Cookie', setCookie(this.config.publicUrl, cookie));
    return messages.redirect('/staff/account', 'password-changed');
  }

  @Post('account/sessions/end-others')
  async endOtherSessions(@Visited() { viewer }: Visit) {
    await this.sessions.endAllOf(viewer.staffId, actorOf(viewer), viewer.sessionId);
    return messages.redirect('/staff/account', 'session-ended');
  }

  /** Succeeds without such a session, too. */
  @Post('account/sessions/:id/end')
  async endSession(@Visited() { viewer }: Visit, @Param('id') id: string) {
    await this.sessions.end(viewer.staffId, id, 'session-ended', actorOf(viewer));
    return messages.redirect('/staff/account', 'session-ended');
  }

  /** For a script of the pages, which does not extend the session by asking. */
  @Get('session')
  showSession(@Visited() { viewer: { sessionTime } }: Visit) {
    return sessionTime;
  }

  /** Extends the session, as every form does. */
  @Post('session')
  @HttpCode(200)
  extendSession(@Visited() { viewer: { sessionTime } }: Visit) {
    return sessionTime;
  }

  @Post('sign-out')
  async signOut(@Visited() { viewer, response }: Visit) {
    await this.sessions.end(viewer.staffId, viewer.sessionId!, 'signed-out', actorOf(viewer));
    response.append('Set-Cookie', clearCookie(this.config.publicUrl));
    // Drafts, also where their script did not run.
    response.setHeader('Clear-Site-Data', '"storage"');
    return new SeeOther('/staff/sign-in?out');
  }

  @Get('account/second-factor')
  async showSecondFactor(@Visited() { viewer }: Visit) {
    if (await this.account.hasSecondFactor(viewer.staffId)) {
      return page(<SecondFactorPage viewer={viewer} isRequired={isRequired(this.config)} />);
    }
    const setUp = await this.account.setUp(viewer.staffId);
    // Another tab has just set it up.
    if (setUp === null) return new SeeOther(SECOND_FACTOR);
    return page(<SetUpPage viewer={viewer} {...setUp} />);
  }

  @Post('account/second-factor')
  async setUpSecondFactor(@Visited() { viewer, request, form }: Visit) {
    if (await this.account.hasSecondFactor(viewer.staffId)) return new SeeOther(SECOND_FACTOR);
    const sent = { code: form.text('code'), current: form.secret('current') };
    const from = visitorOf(request, this.config);
    const change = await this.failures.attempt(
      request,
      'second-factor',
      () => this.account.confirmSecondFactor(viewer, sent, from),
      isProven,
    );
    if (change.codes) return newCodesPage(viewer, change.codes);
    const setUp = await this.account.setUp(viewer.staffId);
    if (setUp === null) return new SeeOther(SECOND_FACTOR);
    const { refused, status } = refusedBy(change, setUpCodeFields, form);
    return page(<SetUpPage viewer={viewer} {...setUp} refused={refused} />, status);
  }

  @Post('account/second-factor/change')
  async changeSecondFactor(@Visited() { viewer, request, response, form }: Visit) {
    if (!(await this.account.hasSecondFactor(viewer.staffId))) return new SeeOther(SECOND_FACTOR);
    const what = form.text('what') === 'remove' ? 'remove' : 'codes';
    const sent = { what, code: form.text('code') } as const;
    const from = visitorOf(request, this.config);
    const change = await this.failures.attempt(
      request,
      'second-factor',
      () => this.account.changeSecondFactor(viewer, sent, from),
      isProven,
    );
    const { faults, codes, cookie } = change;
    if (faults) {
      const { refused, status } = refusedBy(change, changeCodeFields, form, response);
      return page(
        <SecondFactorPage {...{ viewer, refused, isRequired: isRequired(this.config) }} />,
        status,
      );
    }
    if (codes) return newCodesPage(viewer, codes);
    if (!cookie) return messages.redirect('/staff/account', 'second-factor-removed');
    response.append('Set-Cookie', setCookie(this.config.publicUrl, cookie));
    return new SeeOther('/staff/sign-in/enrolment');
  }
}

function isProven({ isProven }: AccountChange): boolean {
  return isProven;
}

function isRequired({ staffSecondFactor }: Config): boolean {
  return staffSecondFactor === 'required';
}

function newCodesPage(viewer: StaffCaller, codes: readonly string[]): WrittenHtml {
  return page(<RecoveryCodesPage viewer={viewer} codes={codes} next="/staff/account" />);
}

/** The refused form, and the status: 429 after too many attempts. */
function refusedBy(
  { faults = new Map(), seconds }: AccountChange,
  fields: readonly FormField[],
  form: Form,
  response?: Response,
) {
  if (seconds) response?.setHeader('Retry-After', String(seconds));
  return { refused: refuseForm(fields, form, faults), status: seconds ? 429 : 422 };
}
