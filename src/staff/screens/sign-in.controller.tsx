import { Get, Param, Post } from '@nestjs/common';
import { CountedByAddress } from '../../platform/access/rules.js';
import { FailedAttemptsService } from '../../platform/limits/failed-attempts.service.js';
import { SeeOther } from '../../platform/http/written.js';
import { Config } from '../../platform/config/config.js';
import { nextPage } from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { LinksService } from '../sign-in/links.service.js';
import { PasswordsService } from '../sign-in/passwords.service.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import { refuseForm } from '../../platform/ui/forms/form-spec.js';
import { page } from '../../platform/ui/render.js';
import {
  DeadLinkPage,
  newPasswordFields,
  SetPasswordPage,
  signInFields,
  SignInPage,
} from './sign-in.js';
import { goOn, hasSignedIn, offeredBy, refusalOf, visitorOf } from './sign-in-ways.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';

/** The sign-in with a password, and the link to set one. */
@StaffPages('staff', 'public')
export class SignInController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordsService,
    private readonly links: LinksService,
    private readonly failures: FailedAttemptsService,
    private readonly config: Config,
  ) {}

  @Get('sign-in')
  @CountedByAddress()
  async showSignIn(@Visited() { request, query }: Visit) {
    const next = nextPage(query.text('next'));
    const caller = await this.sessions.callerOf(visitorOf(request, this.config).cookie);
    if (caller) return new SeeOther(next);
    const note = query.has('out') ? 'You have signed out.' : undefined;
    return page(<SignInPage {...offeredBy(this.config)} next={next} note={note} />);
  }

  @Post('sign-in')
  async signInWithPassword(@Visited() { request, response, form }: Visit) {
    const offered = { ...offeredBy(this.config), next: nextPage(form.text('next')) };
    if (!offered.passwords) return page(<SignInPage {...offered} />);
    const from = visitorOf(request, this.config);
    const outcome = await this.failures.attempt(
      request,
      'sign-in',
      () => this.signIns.withPassword(form.text('email'), form.secret('password'), from),
      hasSignedIn,
    );
    if (outcome.kind === 'in') return goOn(response, outcome, offered.next, this.config);
    const [status, refusal] = refusalOf(outcome, response);
    const typed = refuseForm(signInFields, form, new Map());
    return page(<SignInPage {...offered} refusal={refusal} typed={typed} />, status);
  }

  @Get('set-password/:secret')
  async showSetPassword(@Visited() { request }: Visit, @Param('secret') secret: string) {
    const find = () => this.links.ownerOf(secret);
    const owner = await this.failures.attempt(request, 'link', find, Boolean);
    if (!owner) return page(<DeadLinkPage />, 410);
    return page(<SetPasswordPage secret={secret} {...owner} />);
  }

  @Post('set-password/:secret')
  async setPassword(@Visited() visit: Visit, @Param('secret') secret: string) {
    const set = () => this.setByLink(secret, visit);
    const done = await this.failures.attempt(visit.request, 'link', set, Boolean);
    if (done) return done;
    const from = visitorOf(visit.request, this.config);
    this.signIns.noteFailure(undefined, from, 'link', 'unknown, used or expired');
    return page(<DeadLinkPage />, 410);
  }

  /** @returns undefined where the link is unusable */
  private async setByLink(secret: string, { request, response, form }: Visit) {
    const owner = await this.links.ownerOf(secret);
    if (!owner) return undefined;
    const [password, again] = [form.secret('password'), form.secret('again')];
    const faults = await this.passwords.faultsOf(password, again, owner);
    const refused = faults && refuseForm(newPasswordFields, form, faults);
    if (refused) return page(<SetPasswordPage {...{ secret, refused, ...owner }} />, 422);
    const member = await this.passwords.setByLink(secret, password);
    if (!member) return undefined;
    const from = visitorOf(request, this.config);
    return goOn(response, await this.signIns.signInBy(member, 'link', from), '/staff', this.config);
  }
}
