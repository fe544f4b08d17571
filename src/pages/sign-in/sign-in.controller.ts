import { Get, Param, Post } from '@nestjs/common';
import { type Visit, Visited } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { SignInCodePagesService } from './sign-in-code-pages.service.js';
import { SignInPagesService } from './sign-in-pages.service.js';
import { SignInProviderPagesService } from './sign-in-provider-pages.service.js';

/** The ways in: a password, a link to set one, the second step, and the OpenID Connect provider. */
@StaffPages('staff', 'public')
export class SignInController {
  constructor(
    private readonly pages: SignInPagesService,
    private readonly codes: SignInCodePagesService,
    private readonly provider: SignInProviderPagesService,
  ) {}

  @Get('sign-in')
  showSignIn(@Visited() visit: Visit) {
    return this.pages.show(visit);
  }

  @Post('sign-in')
  signInWithPassword(@Visited() visit: Visit) {
    return this.pages.signIn(visit);
  }

  @Get('set-password/:secret')
  showSetPassword(@Param('secret') secret: string) {
    return this.pages.showLink(secret);
  }

  @Post('set-password/:secret')
  setPassword(@Param('secret') secret: string, @Visited() visit: Visit) {
    return this.pages.setPassword(secret, visit);
  }

  @Get('sign-in/code')
  showCode(@Visited() visit: Visit) {
    return this.codes.show(visit);
  }

  @Post('sign-in/code')
  signInWithCode(@Visited() visit: Visit) {
    return this.codes.signIn(visit);
  }

  @Get('sign-in/enrolment')
  showEnrolment(@Visited() visit: Visit) {
    return this.codes.showEnrolment(visit);
  }

  @Post('sign-in/enrolment')
  enrol(@Visited() visit: Visit) {
    return this.codes.enrol(visit);
  }

  /** A link, not a form: Chromium holds `form-action` against where a form is sent on to, as well. */
  @Get('sign-in/provider')
  leaveForProvider(@Visited() visit: Visit) {
    return this.provider.leave(visit);
  }

  @Get('sign-in/callback')
  comeBackFromProvider(@Visited() visit: Visit) {
    return this.provider.comeBack(visit);
  }
}
