import { Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Response } from 'express';
import { actorOf } from '../../platform/audit/audit.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { SeeOther, type WrittenHtml } from '../../platform/http/written.js';
import { Config } from '../../platform/config/config.js';
import { AccountService, type AccountChange, type Account } from '../account.service.js';
import { clearCookie, setCookie } from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { FailedAttemptsService } from '../../platform/limits/failed-attempts.service.js';
import { type FormField, refuseForm, type RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { page } from '../../platform/ui/render.js';
import { FlashMessages, type FlashMessage } from '../../platform/ui/flash-messages.js';
import {
  changeCodeFields,
  RecoveryCodesPage,
  setUpCodeFields,
  newPasswordFields,
  passwordField,
  TOKENS_STAY,
  SetUp,
  Username,
} from './sign-in.js';
import { visitorOf } from './sign-in-ways.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import type { StaffSession } from '../sessions/staff-session.entity.js';
import type { SecondFactorSetup } from '../sign-in/second-factor.service.js';
import { FormPage } from '../../platform/ui/form-page.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Time } from '../../platform/ui/parts.js';
import { Facts, Section, Table } from '../../platform/ui/table.js';
import { roleNames } from '../../platform/access/scopes.js';
import { describeBrowser } from './account-browser.js';
import { counted } from '../../platform/kernel/counts.js';

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
        <SecondFactorPage viewer={viewer} refused={refused} isRequired={isRequired(this.config)} />,
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

interface AccountProps {
  readonly viewer: StaffCaller;
  readonly account: Account;
  readonly said: FlashMessage | null;
}

function AccountPage(props: AccountProps) {
  const { viewer, account, said } = props;
  const { email, now, password, secondFactor } = account;
  return (
    <Layout title="Your account" viewer={viewer} width="narrow" said={said}>
      <Facts
        of={[
          ['Name', viewer.name],
          ['Email', email],
          ['Role', roleNames[viewer.role]],
        ]}
      />
      {password && (
        <Section title="Password">
          {password.setAt ? (
            <>
              <p>
                {'Set '}
                <Time at={password.setAt} now={now} />.
              </p>
              <p>
                <a class="button" href="/staff/account/password">
                  Change password
                </a>
              </p>
            </>
          ) : (
            <p>No password is set.</p>
          )}
        </Section>
      )}
      {secondFactor && <SecondFactorSection {...secondFactor} now={now} />}
      <Sessions {...props} />
    </Layout>
  );
}

function SecondFactorSection(props: { since: Date | null; codesLeft: number; now: Date }) {
  const { since, codesLeft, now } = props;
  return (
    <Section title="Second factor">
      {since ? (
        <>
          <p>
            {'Sign-in asks for a code from your authenticator app since '}
            <Time at={since} now={now} />.
          </p>
          <p class={codesLeft < 3 ? 'soon' : undefined}>
            {`${counted(codesLeft, 'recovery code')} left.`}
          </p>
        </>
      ) : (
        <p>None. It adds a code from your phone at sign-in.</p>
      )}
      <p>
        <a class="button" href="/staff/account/second-factor">
          {since ? 'Change the second factor' : 'Set up a second factor'}
        </a>
      </p>
    </Section>
  );
}

function Sessions({ account: { sessions, now }, viewer }: AccountProps) {
  const hasOthers = sessions.some(({ id }) => id !== viewer.sessionId);
  return (
    <Section title="Where you are signed in">
      <Table
        label="Your sessions"
        caption="Your sessions, last used first"
        rows={sessions}
        columns={[
          { name: 'Browser', of: ({ userAgent }) => describeBrowser(userAgent), heads: true },
          { name: 'Address', of: ({ address }) => address },
          { name: 'Last used', of: ({ lastSeenAt }) => <Time at={lastSeenAt} now={now} /> },
          {
            name: <span class="unseen">Action</span>,
            of: (session) =>
              session.id === viewer.sessionId ? 'This session' : <EndSession session={session} />,
          },
        ]}
      />
      {hasOthers && (
        <PostForm action="/staff/account/sessions/end-others" button="End all other sessions" />
      )}
      <p class="hint">A session ends after 30 minutes without use, and after 12 hours.</p>
    </Section>
  );
}

function EndSession({ session: { id, userAgent, address } }: { session: StaffSession }) {
  const label = `End the session of ${describeBrowser(userAgent)}, ${address}`;
  const button = (
    <button type="submit" aria-label={label}>
      End
    </button>
  );
  return <PostForm action={`/staff/account/sessions/${id}/end`} button={button} />;
}

const changePasswordFields: readonly FormField[] = [
  passwordField('current', 'Current password', 'current-password'),
  ...newPasswordFields,
];

interface AccountFormProps {
  readonly viewer: StaffCaller;
  readonly refused?: RefusedForm;
}

function PasswordPage({ email, ...props }: AccountFormProps & { email: string }) {
  return (
    <FormPage
      {...props}
      title="Change your password"
      intro={<p>This ends your other sessions. {TOKENS_STAY}</p>}
      action="/staff/account/password"
      fields={changePasswordFields}
      button="Change password"
      cancel="/staff/account"
    >
      <Username email={email} />
    </FormPage>
  );
}

interface SetUpProps extends AccountFormProps {
  readonly email: string;
  readonly offer: SecondFactorSetup;
  readonly asksPassword: boolean;
}

function SetUpPage({ email, offer, asksPassword, ...props }: SetUpProps) {
  return (
    <FormPage
      {...props}
      title="Set up a second factor"
      action="/staff/account/second-factor"
      fields={asksPassword ? setUpCodeFields : setUpCodeFields.slice(0, 1)}
      button="Set up"
      cancel="/staff/account"
    >
      <Username email={email} />
      <SetUp offer={offer} />
    </FormPage>
  );
}

function SecondFactorPage(props: AccountFormProps & { isRequired: boolean }) {
  const { isRequired, ...form } = props;
  const buttons = (
    <>
      <button type="submit" class="primary" name="what" value="codes">
        Create new recovery codes
      </button>
      <button type="submit" class="danger" name="what" value="remove">
        {isRequired ? 'Set up another app' : 'Remove the second factor'}
      </button>
    </>
  );
  return (
    <FormPage
      {...form}
      title="Your second factor"
      action="/staff/account/second-factor/change"
      fields={changeCodeFields}
      button={buttons}
      cancel="/staff/account"
    />
  );
}
