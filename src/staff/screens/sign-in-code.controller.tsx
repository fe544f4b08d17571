import { Get, Post } from '@nestjs/common';
import { FailedAttemptsService } from '../../platform/limits/failed-attempts.service.js';
import { Redirect } from '../../platform/http/written.js';
import { Config } from '../../platform/config/config.js';
import type { StaffMember } from '../member/staff-member.entity.js';
import { nextPage } from '../sessions/session-cookie.js';
import { type FoundSession, SessionsService } from '../sessions/sessions.service.js';
import type { SessionStage } from '../sessions/staff-session.entity.js';
import { type SecondFactorSetup, SecondFactorService } from '../sign-in/second-factor.service.js';
import { SessionEnded, SignInService } from '../sign-in/sign-in.service.js';
import { page } from '../../platform/ui/render.js';
import { CodePage, EnrolmentPage, RecoveryCodesPage } from './sign-in.js';
import { goOn, hasSignedIn, refusalOf, visitorOf } from './sign-in-ways.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';

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
