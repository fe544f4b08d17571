import { Get, Param, Post } from '@nestjs/common';
import { CountedByAddress } from '../../platform/access/rules.js';
import { FailedAttemptsService } from '../../platform/limits/failed-attempts.service.js';
import { SeeOther, Redirect } from '../../platform/http/written.js';
import { Config } from '../../platform/config/config.js';
import { nextPage, clearCookie, readCookie, setCookie } from '../sessions/session-cookie.js';
import { SessionsService, type FoundSession } from '../sessions/sessions.service.js';
import { LinksService } from '../sign-in/links.service.js';
import { PasswordsService } from '../sign-in/passwords.service.js';
import { SignInService, SessionEnded } from '../sign-in/sign-in.service.js';
import { refuseForm } from '../../platform/ui/forms/form-spec.js';
import { page } from '../../platform/ui/render.js';
import {
  DeadLinkPage,
  newPasswordFields,
  SetPasswordPage,
  signInFields,
  SignInPage,
  CodePage,
  EnrolmentPage,
  RecoveryCodesPage,
} from './sign-in.js';
import { goOn, hasSignedIn, offeredBy, refusalOf, visitorOf } from './sign-in-ways.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import type { StaffMember } from '../member/staff-member.entity.js';
import type { SessionStage } from '../sessions/staff-session.entity.js';
import { type SecondFactorSetup, SecondFactorService } from '../sign-in/second-factor.service.js';
import type { Request } from 'express';
import { NotFound } from '../../platform/problems/problem.js';
import { OidcService } from '../sign-in/oidc.service.js';
import { ProviderMembersService } from '../sign-in/provider-members.service.js';

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
    if (refused) return page(<SetPasswordPage secret={secret} refused={refused} {...owner} />, 422);
    const member = await this.passwords.setByLink(secret, password);
    if (!member) return undefined;
    const from = visitorOf(request, this.config);
    return goOn(response, await this.signIns.signInBy(member, 'link', from), '/staff', this.config);
  }
}

const WRONG = 'This code is incorrect, or it was used before. Wait for the next one.';
const WRONG_AT_FIRST =
  'This code is incorrect. Wait for the next one, and check the time on your phone.';

/** @throws {Redirect} to the first step, if its session has ended meanwhile */
function toFirstStep(error: unknown): never {
  throw error instanceof SessionEnded ? new Redirect('/staff/sign-in') : error;
}

/** The second step of the sign-in, after the password. */
@StaffPages('staff', 'public')
export class SignInCodeController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly secondFactor: SecondFactorService,
    private readonly failures: FailedAttemptsService,
    private readonly config: Config,
  ) {}

  @Get('sign-in/code')
  async showCode(@Visited() visit: Visit) {
    await this.foundAt('second-factor', visit);
    return page(<CodePage next={nextPage(visit.query.text('next'))} />);
  }

  @Post('sign-in/code')
  async signInWithCode(@Visited() visit: Visit) {
    const { request, response, form } = visit;
    const next = nextPage(form.text('next'));
    const check = async () => {
      const found = await this.foundAt('second-factor', visit);
      const from = visitorOf(request, this.config);
      return this.signIns.withCode(found, form.text('code'), from).catch(toFirstStep);
    };
    const outcome = await this.failures.attempt(request, 'second-factor', check, hasSignedIn);
    if (outcome.kind === 'in') return goOn(response, outcome, next, this.config);
    const [status, refusal] = refusalOf(outcome, response, WRONG);
    return page(<CodePage next={next} refusal={refusal} />, status);
  }

  @Get('sign-in/enrolment')
  async showEnrolment(@Visited() visit: Visit) {
    const { member } = await this.foundAt('enrolment', visit);
    const offer = await this.offered(member);
    return page(<EnrolmentPage offer={offer} next={nextPage(visit.query.text('next'))} />);
  }

  @Post('sign-in/enrolment')
  async enrol(@Visited() visit: Visit) {
    const { request, response, form } = visit;
    const next = nextPage(form.text('next'));
    const check = async () => {
      const found = await this.foundAt('enrolment', visit);
      const { id, name } = found.member;
      const actor = { type: 'staff', id, name } as const;
      return { found, codes: await this.secondFactor.confirm(id, form.text('code'), actor) };
    };
    const isRight = ({ codes }: Awaited<ReturnType<typeof check>>) => codes !== undefined;
    const attempt = await this.failures.attempt(request, 'second-factor', check, isRight);
    const { found, codes } = attempt;
    if (!codes) {
      const offer = await this.offered(found.member);
      return page(<EnrolmentPage offer={offer} next={next} refusal={WRONG_AT_FIRST} />, 422);
    }
    const from = visitorOf(request, this.config);
    const outcome = await this.signIns.afterEnrolment(found, from).catch(toFirstStep);
    goOn(response, outcome, next, this.config);
    return page(<RecoveryCodesPage codes={codes} next={next} />);
  }

  /** @throws {Redirect} to the first step, if another browser has finished the enrolment */
  private async offered(member: StaffMember): Promise<SecondFactorSetup> {
    const offer = await this.secondFactor.offer(member);
    if (offer) return offer;
    throw new Redirect('/staff/sign-in');
  }

  /** @throws {Redirect} to the first step, if the visitor is not at this one */
  private async foundAt(stage: SessionStage, { request }: Visit): Promise<FoundSession> {
    const found = await this.sessions.find(visitorOf(request, this.config).cookie);
    if (found?.session.stage === stage) return found;
    throw new Redirect('/staff/sign-in');
  }
}

/** Keeps the state of a sign-in while the browser is at the provider. */
const STATE_COOKIE = { name: 'staff-sign-in-state', seconds: 600 };

/** The sign-in at the operator's identity provider. */
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
