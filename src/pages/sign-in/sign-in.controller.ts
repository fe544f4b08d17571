import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FailedAttempts } from '../../limits/failed-attempts.js';
import { Public } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { PasswordsService } from '../../staff/sign-in/passwords.service.js';
import { LinksService } from '../../staff/sign-in/links.service.js';
import { nextPage } from '../../staff/sessions/session-cookie.js';
import { SessionsService } from '../../staff/sessions/sessions.service.js';
import { SignInService } from '../../staff/sign-in/sign-in.service.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { deadLinkPage, setPasswordPage, signInPage } from './sign-in.js';
import { goOn, offeredBy, refusalOf, visitorOf } from './sign-in-ways.js';

/** The way in: a password, and a link to set one. */
@Controller('staff')
@ApiExcludeController()
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordsService,
    private readonly links: LinksService,
    private readonly failures: FailedAttempts,
    private readonly config: Config,
  ) {}

  @Get('sign-in')
  @Public()
  async showSignIn(
    @Req() request: Request,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const next = nextPage(query.text('next'));
    const caller = await this.sessions.callerOf(visitorOf(request, this.config).cookie);
    if (caller) return new SeeOther(next);
    const note = query.has('out') ? 'You have signed out.' : undefined;
    return signInPage({ ...offeredBy(this.config), next, note });
  }

  @Post('sign-in')
  @Public()
  async signInWithPassword(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const next = nextPage(form.text('next'));
    const email = form.text('email');
    if (!this.config.staffPasswords) return signInPage({ ...offeredBy(this.config), next });
    this.failures.refuseExhausted(request, () => false);
    const from = visitorOf(request, this.config);
    const outcome = await this.signIn.withPassword(email, form.secret('password'), from);
    if (outcome.kind === 'in') return goOn(response, outcome, next, this.config);
    this.failures.count(request, 'sign-in');
    const [status, refusal] = refusalOf(outcome, response);
    return signInPage({ ...offeredBy(this.config), next, email, refusal, status });
  }

  @Get('set-password/:secret')
  @Public()
  async showSetPassword(@Param('secret') secret: string): Promise<WrittenHtml> {
    const member = await this.links.ownerOf(secret);
    return member ? setPasswordPage({ action: linkPath(secret), ...member }) : deadLinkPage();
  }

  @Post('set-password/:secret')
  @Public()
  async setPassword(
    @Param('secret') secret: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    this.failures.refuseExhausted(request, () => false);
    const from = visitorOf(request, this.config);
    const owner = await this.links.ownerOf(secret);
    if (owner) {
      const faults = await this.passwords.faultsOf(
        form.secret('password'),
        form.secret('again'),
        owner,
      );
      if (faults) return setPasswordPage({ action: linkPath(secret), ...owner, faults });
    }
    const member = owner && (await this.passwords.setByLink(secret, form.secret('password')));
    if (!member) {
      this.failures.count(request, 'link');
      await this.signIn.noteFailure(undefined, from, 'link', 'unknown, used or expired');
      return deadLinkPage();
    }
    return goOn(response, await this.signIn.signInBy(member, 'link', from), '/staff', this.config);
  }
}

const linkPath = (secret: string) => `/staff/set-password/${encodeURIComponent(secret)}`;
