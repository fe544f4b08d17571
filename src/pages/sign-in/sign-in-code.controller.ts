import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FailedAttempts } from '../../limits/failed-attempts.js';
import { Redirect } from '../../http/written-html.js';
import { Public } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { SecondFactorService } from '../../staff/sign-in/second-factor.service.js';
import { nextPage } from '../../staff/sessions/session-cookie.js';
import { type FoundSession, SessionsService } from '../../staff/sessions/sessions.service.js';
import { SignInService } from '../../staff/sign-in/sign-in.service.js';
import type { SessionStage } from '../../staff/sessions/staff-session.entity.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { codePage, enrolmentPage, recoveryCodesPage } from './sign-in.js';
import { goOn, refusalOf, visitorOf } from './sign-in-ways.js';

const WRONG = 'This code is not right, or it was used before. Wait for the next one.';

/** The second step of the sign-in, for whoever has brought the right password. */
@Controller('staff/sign-in')
@ApiExcludeController()
export class SignInCodeController {
  constructor(
    private readonly signIn: SignInService,
    private readonly sessions: SessionsService,
    private readonly secondFactor: SecondFactorService,
    private readonly failures: FailedAttempts,
    private readonly config: Config,
  ) {}

  @Get('code')
  @Public()
  async showCode(@Req() request: Request, @QueryForm() query: Form): Promise<WrittenHtml> {
    await this.foundAt('second-factor', request);
    return codePage(nextPage(query.text('next')));
  }

  @Post('code')
  @Public()
  async signInWithCode(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const found = await this.foundAt('second-factor', request);
    this.failures.refuseExhausted(request, () => false);
    const next = nextPage(form.text('next'));
    const from = visitorOf(request, this.config);
    const outcome = await this.signIn.withCode(found, form.text('code'), from);
    if (outcome.kind === 'in') return goOn(response, outcome, next, this.config);
    this.failures.count(request, 'second-factor');
    const [status, refusal] = refusalOf(outcome, response, WRONG);
    return codePage(next, refusal, status);
  }

  @Get('enrolment')
  @Public()
  async showEnrolment(@Req() request: Request, @QueryForm() query: Form): Promise<WrittenHtml> {
    const { member } = await this.foundAt('enrolment', request);
    return enrolmentPage(await this.secondFactor.offer(member), nextPage(query.text('next')));
  }

  @Post('enrolment')
  @Public()
  async enrol(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const found = await this.foundAt('enrolment', request);
    const { member } = found;
    const next = nextPage(form.text('next'));
    const actor = { type: 'staff', id: member.id, name: member.name } as const;
    const codes = await this.secondFactor.confirm(member.id, form.text('code'), actor);
    if (!codes) {
      const refusal =
        'This code is not right. Wait for the next one, and check the time of the phone.';
      return enrolmentPage(await this.secondFactor.offer(member), next, refusal, 422);
    }
    const from = visitorOf(request, this.config);
    goOn(response, await this.signIn.afterEnrolment(found, from), next, this.config);
    return recoveryCodesPage(codes, next);
  }

  /** @throws {Redirect} to the beginning, where the visitor is not at this step */
  private async foundAt(stage: SessionStage, request: Request): Promise<FoundSession> {
    const found = await this.sessions.find(visitorOf(request, this.config).cookie);
    if (found?.session.stage === stage) return found;
    throw new Redirect('/staff/sign-in');
  }
}
