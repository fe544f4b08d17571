import { Get } from '@nestjs/common';
import { FailedAttemptsService } from '../../limits/failed-attempts.service.js';
import { NotFound } from '../../problems/problem.js';
import { SeeOther } from '../../http/written-html.js';
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
import { page } from '../shell/render.js';
import { SignInPage } from './sign-in.js';
import { goOn, offeredBy, visitorOf } from './sign-in-ways.js';
import { type Visit, Visited } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';

/** The cookie that the browser keeps while it is at the provider. */
const ERRAND = 'staff-errand';
/** Seconds. */
const ERRAND_TIME = 600;

/** The sign-in at the OpenID Connect provider. */
@StaffPages('staff', 'public')
export class SignInProviderController {
  constructor(
    private readonly oidc: OidcService,
    private readonly members: ProviderMembersService,
    private readonly signIns: SignInService,
    private readonly failures: FailedAttemptsService,
    private readonly config: Config,
  ) {}

  /** A link, not a form: Chromium holds `form-action` against where a form is sent on to, as well. */
  @Get('sign-in/provider')
  async leaveForProvider(@Visited() { response, query }: Visit) {
    this.requireProvider();
    const { url, cookie } = await this.oidc.startSignIn(nextPage(query.text('next')));
    const kept = { name: ERRAND, seconds: ERRAND_TIME };
    response.setHeader('Set-Cookie', setCookie(this.config.publicUrl, cookie, kept));
    return new SeeOther(url);
  }

  @Get('sign-in/callback')
  async comeBackFromProvider(@Visited() { request, response }: Visit) {
    this.requireProvider();
    this.failures.refuseExhausted(request, () => false);
    const { publicUrl } = this.config;
    const from = visitorOf(request, this.config);
    const errand = readCookie(request.headers.cookie, publicUrl, ERRAND);
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
    const person = await this.oidc.finishSignIn(query, errand);
    response.append('Set-Cookie', clearCookie(publicUrl, ERRAND));
    const admission = person && (await this.members.admit(person));
    if (person && admission?.member) {
      const outcome = await this.signIns.signInBy(admission.member, 'provider', from);
      return goOn(response, outcome, nextPage(person.next), this.config);
    }
    const refusal = admission?.refused ?? 'The sign-in there was not finished. Try again.';
    this.failures.count(request, 'provider');
    await this.signIns.noteFailure(admission?.known, from, 'provider', refusal);
    return page(<SignInPage {...offeredBy(this.config)} next="/staff" refusal={refusal} />, 403);
  }

  private requireProvider(): void {
    if (this.config.oidcIssuer === null) throw new NotFound('There is no sign-in provider here.');
  }
}
