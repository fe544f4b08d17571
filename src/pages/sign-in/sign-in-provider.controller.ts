import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FailedAttempts } from '../../limits/failed-attempts.js';
import { NotFound } from '../../problems/problem.js';
import { Public } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { OidcService } from '../../staff/sign-in/oidc.service.js';
import { ProviderMembersService } from '../../staff/sign-in/provider-members.service.js';
import {
  clearCookie,
  nextPage,
  readCookie,
  setCookie,
} from '../../staff/sessions/session-cookie.js';
import { SignInService } from '../../staff/sign-in/sign-in.service.js';
import { Form, QueryForm } from '../forms/form.js';
import { signInPage } from './sign-in.js';
import { goOn, offeredBy, visitorOf } from './sign-in-ways.js';

/** What the browser keeps while it is at the provider. */
const ERRAND = 'staff-errand';
/** Seconds. */
const ERRAND_TIME = 600;

/** The way in by the OpenID Connect provider. */
@Controller('staff/sign-in')
@ApiExcludeController()
export class SignInProviderController {
  constructor(
    private readonly oidc: OidcService,
    private readonly members: ProviderMembersService,
    private readonly signIn: SignInService,
    private readonly failures: FailedAttempts,
    private readonly config: Config,
  ) {}

  /** A link, not a form: Chromium holds `form-action` against where a form is sent on to, as well. */
  @Get('provider')
  @Public()
  async leaveForProvider(
    @Res({ passthrough: true }) response: Response,
    @QueryForm() query: Form,
  ): Promise<SeeOther> {
    this.requireProvider();
    const { url, cookie } = await this.oidc.startSignIn(nextPage(query.text('next')));
    const kept = { name: ERRAND, seconds: ERRAND_TIME };
    response.setHeader('Set-Cookie', setCookie(this.config.publicUrl, cookie, kept));
    return new SeeOther(url);
  }

  @Get('callback')
  @Public()
  async comeBackFromProvider(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WrittenHtml | SeeOther> {
    this.requireProvider();
    this.failures.refuseExhausted(request, () => false);
    const { publicUrl } = this.config;
    const from = visitorOf(request, this.config);
    const state = readCookie(request.headers.cookie, publicUrl, ERRAND);
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
    const person = await this.oidc.finishSignIn(query, state);
    response.append('Set-Cookie', clearCookie(publicUrl, ERRAND));
    const admission = person && (await this.members.admit(person));
    if (person && admission?.member) {
      const outcome = await this.signIn.signInBy(admission.member, 'provider', from);
      return goOn(response, outcome, nextPage(person.next), this.config);
    }
    const refusal = admission?.refused ?? 'The sign-in there was not finished. Try again.';
    this.failures.count(request, 'provider');
    await this.signIn.noteFailure(admission?.known, from, 'provider', refusal);
    return signInPage({ ...offeredBy(this.config), next: '/staff', refusal, status: 403 });
  }

  private requireProvider(): void {
    if (this.config.oidcIssuer === null) throw new NotFound('There is no sign-in provider here.');
  }
}
