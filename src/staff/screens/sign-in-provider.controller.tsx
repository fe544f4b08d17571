import { Get } from '@nestjs/common';
import type { Request } from 'express';
import { FailedAttemptsService } from '../../platform/limits/failed-attempts.service.js';
import { NotFound } from '../../platform/problems/problem.js';
import { SeeOther } from '../../platform/http/written.js';
import { Config } from '../../platform/config/config.js';
import { OidcService } from '../sign-in/oidc.service.js';
import { ProviderMembersService } from '../sign-in/provider-members.service.js';
import { clearCookie, nextPage, readCookie, setCookie } from '../sessions/session-cookie.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import { page } from '../../platform/ui/render.js';
import { SignInPage } from './sign-in.js';
import { goOn, offeredBy, visitorOf } from './sign-in-ways.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';

/** Keeps the state of a sign-in while the browser is at the provider. */
const STATE_COOKIE = { name: 'staff-sign-in-state', seconds: 600 };

@StaffPages('staff', 'public')
export class SignInProviderController {
  constructor(
    private readonly oidc: OidcService,
    private readonly members: ProviderMembersService,
    private readonly signIns: SignInService,
    private readonly failures: FailedAttemptsService,
    private readonly config: Config,
  ) {}

  /** Opened by a link, not a form: Chromium applies `form-action` to redirects of forms, too. */
  @Get('sign-in/provider')
  async leaveForProvider(@Visited() { response, query }: Visit) {
    this.requireProvider();
    const { url, cookie } = await this.oidc.startSignIn(nextPage(query.text('next')));
    response.setHeader('Set-Cookie', setCookie(this.config.publicUrl, cookie, STATE_COOKIE));
    return new SeeOther(url);
  }

  @Get('sign-in/callback')
  async comeBackFromProvider(@Visited() { request, response }: Visit) {
    this.requireProvider();
    const admit = () => this.admit(request);
    const isAdmitted = ({ admission }: Awaited<ReturnType<typeof admit>>) => !!admission?.member;
    const attempt = await this.failures.attempt(request, 'provider', admit, isAdmitted);
    const { admission, next } = attempt;
    const from = visitorOf(request, this.config);
    response.append('Set-Cookie', clearCookie(this.config.publicUrl, STATE_COOKIE.name));
    if (admission?.member) {
      const outcome = await this.signIns.signInBy(admission.member, 'provider', from);
      return goOn(response, outcome, nextPage(next), this.config);
    }
    const refusal = admission?.refused ?? 'You did not finish signing in. Try again.';
    this.signIns.noteFailure(admission?.known, from, 'provider', refusal);
    return page(<SignInPage {...offeredBy(this.config)} next="/staff" refusal={refusal} />, 403);
  }

  /** Checks the provider's answer. @returns who may sign in, and the page that the person wanted */
  private async admit({ headers, url }: Request) {
    const state = readCookie(headers.cookie, this.config.publicUrl, STATE_COOKIE.name);
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    const person = await this.oidc.finishSignIn(query, state);
    return { admission: person && (await this.members.admit(person)), next: person?.next };
  }

  private requireProvider(): void {
    if (this.config.oidcIssuer === null)
      throw new NotFound('This service has no sign-in provider.');
  }
}
