import type { StaffCaller } from '../../platform/access/caller.js';
import type { Account } from '../account.service.js';
import type { StaffSession } from '../sessions/staff-session.entity.js';
import type { SecondFactorSetup } from '../sign-in/second-factor.service.js';
import { FormPage } from '../../platform/ui/form-page.js';
import type { FormField, RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Time } from '../../platform/ui/parts.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { Facts, Section, Table } from '../../platform/ui/table.js';
import { roleNames } from '../../platform/access/scopes.js';
import { describeBrowser } from './account-browser.js';
import {
  changeCodeFields,
  newPasswordFields,
  passwordField,
  TOKENS_STAY,
  SetUp,
  setUpCodeFields,
  Username,
} from './sign-in.js';
import { counted } from '../../platform/kernel/counts.js';

interface AccountProps {
  readonly viewer: StaffCaller;
  readonly account: Account;
  readonly said: FlashMessage | null;
}

export function AccountPage(props: AccountProps) {
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

export const changePasswordFields: readonly FormField[] = [
  passwordField('current', 'Current password', 'current-password'),
  ...newPasswordFields,
];

interface AccountFormProps {
  readonly viewer: StaffCaller;
  readonly refused?: RefusedForm;
}

export function PasswordPage({ email, ...props }: AccountFormProps & { email: string }) {
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

export function SetUpPage({ email, offer, asksPassword, ...props }: SetUpProps) {
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

export function SecondFactorPage(props: AccountFormProps & { isRequired: boolean }) {
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
