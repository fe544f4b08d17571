import type { StaffCaller } from '../../access/caller.js';
import type { WrittenHtml } from '../../http/written-html.js';
import type { SecondFactorSetup } from '../../staff/sign-in/second-factor.service.js';
import type { StaffSession } from '../../staff/sessions/staff-session.entity.js';
import { describeBrowser } from './account-browser.js';
import { type Faults, FaultSummary, TextField } from '../forms/fields.js';
import { Layout } from '../shell/layout.js';
import { Notice, Time } from '../shell/parts.js';
import { page } from '../shell/render.js';
import { CodeField, NewPassword, RecoveryCodes, SetUp, Username } from './sign-in.js';
import { roleNames } from '../shell/words.js';

/** What a member sees of the own account. */
export interface AccountView {
  readonly viewer: StaffCaller;
  readonly email: string;
  readonly now: Date;
  readonly sessions: readonly StaffSession[];
  /** Null: passwords are switched off. */
  readonly password: { readonly setAt: Date | null } | null;
  /** Null: there are no second factors here. */
  readonly secondFactor: { readonly since: Date | null; readonly codesLeft: number } | null;
  readonly done?: string;
}

export function accountPage(view: AccountView): WrittenHtml {
  const { viewer, email, now, password, secondFactor, done } = view;
  return page(
    <Layout title="Your account" viewer={viewer} width="narrow">
      {done && <Notice kind="good" title={done} />}
      <dl class="facts">
        <dt>Name</dt>
        <dd>{viewer.name}</dd>
        <dt>E-mail address</dt>
        <dd>{email}</dd>
        <dt>Role</dt>
        <dd>{roleNames[viewer.role]}</dd>
      </dl>
      {password && (
        <section>
          <h2>Password</h2>
          <p>
            {password.setAt ? (
              <>
                {'Set '}
                <Time at={password.setAt} now={now} />.
              </>
            ) : (
              'None is set.'
            )}
          </p>
          {password.setAt && (
            <p>
              <a class="button" href="/staff/account/password">
                Change password
              </a>
            </p>
          )}
        </section>
      )}
      {secondFactor && <SecondFactorSection {...secondFactor} now={now} />}
      <Sessions {...view} />
    </Layout>,
  );
}

function SecondFactorSection(props: { since: Date | null; codesLeft: number; now: Date }) {
  const { since, codesLeft, now } = props;
  return (
    <section>
      <h2>Second factor</h2>
      {since ? (
        <>
          <p>
            {'An authenticator app is asked for at the sign-in, since '}
            <Time at={since} now={now} />.
          </p>
          <p class={codesLeft < 3 ? 'soon' : undefined}>
            {codesLeft === 1
              ? 'One recovery code is left.'
              : `${codesLeft} recovery codes are left.`}
          </p>
          <p>
            <a class="button" href="/staff/account/second-factor">
              New recovery codes, or another app
            </a>
          </p>
        </>
      ) : (
        <>
          <p>None. With one, a stolen password is not enough.</p>
          <p>
            <a class="button" href="/staff/account/second-factor">
              Set up a second factor
            </a>
          </p>
        </>
      )}
    </section>
  );
}

function Sessions({ sessions, viewer, now }: AccountView) {
  const others = sessions.filter(({ id }) => id !== viewer.sessionId).length;
  return (
    <section>
      <h2>Where you are signed in</h2>
      <div class="scroll">
        <table>
          <caption class="unseen">Your sessions, the one used last first</caption>
          <thead>
            <tr>
              <th scope="col">Browser</th>
              <th scope="col">Address</th>
              <th scope="col">Last used</th>
              <th scope="col">
                <span class="unseen">Action</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <tr>
                <th scope="row">{describeBrowser(session.userAgent)}</th>
                <td>{session.address}</td>
                <td>
                  <Time at={session.lastSeenAt} now={now} />
                </td>
                <td>
                  {session.id === viewer.sessionId ? (
                    'This one'
                  ) : (
                    <form method="post" action={`/staff/account/sessions/${session.id}/end`}>
                      <button
                        type="submit"
                        aria-label={`End the session of ${describeBrowser(session.userAgent)}, ${session.address}`}
                      >
                        End
                      </button>
                    </form>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {others > 0 && (
        <form method="post" action="/staff/account/sessions/end-others">
          <p class="actions">
            <button type="submit">End all others</button>
          </p>
        </form>
      )}
      <p class="hint">A session ends after 30 minutes without use, and after 12 hours.</p>
    </section>
  );
}

export function passwordPage(form: {
  readonly viewer: StaffCaller;
  readonly email: string;
  readonly faults?: Faults;
  readonly status?: number;
}): WrittenHtml {
  const { viewer, email, faults, status } = form;
  return page(
    <Layout title="Change your password" viewer={viewer} width="narrow">
      <FaultSummary faults={faults} />
      <p>Your other sessions end.</p>
      <form method="post" action="/staff/account/password">
        <Username email={email} />
        <TextField
          name="current"
          label="Present password"
          faults={faults}
          input={{ type: 'password', autocomplete: 'current-password', required: true }}
        />
        <NewPassword faults={faults} />
        <p class="actions">
          <button type="submit" class="primary">
            Change password
          </button>
          <a href="/staff/account">Leave it</a>
        </p>
      </form>
    </Layout>,
    status,
  );
}

export function setUpPage(form: {
  readonly viewer: StaffCaller;
  readonly email: string;
  readonly offer: SecondFactorSetup;
  readonly asksPassword: boolean;
  readonly faults?: Faults;
  readonly status?: number;
}): WrittenHtml {
  const { viewer, email, offer, asksPassword, faults, status } = form;
  return page(
    <Layout title="Set up a second factor" viewer={viewer} width="narrow">
      <FaultSummary faults={faults} />
      <form method="post" action="/staff/account/second-factor">
        <Username email={email} />
        <SetUp offer={offer} faults={faults} />
        {asksPassword && (
          <TextField
            name="current"
            label="Your password"
            hint="So that nobody else sets it up at your desk."
            faults={faults}
            input={{ type: 'password', autocomplete: 'current-password', required: true }}
          />
        )}
        <p class="actions">
          <button type="submit" class="primary">
            Set up
          </button>
          <a href="/staff/account">Leave it</a>
        </p>
      </form>
    </Layout>,
    status,
  );
}

export function secondFactorPage(form: {
  readonly viewer: StaffCaller;
  readonly isRequired: boolean;
  readonly faults?: Faults;
  readonly status?: number;
}): WrittenHtml {
  const { viewer, isRequired, faults, status } = form;
  return page(
    <Layout title="Your second factor" viewer={viewer} width="narrow">
      <FaultSummary faults={faults} />
      <form method="post" action="/staff/account/second-factor/change">
        <CodeField
          label="Code"
          hint="Six digits from your authenticator app, or one of your recovery codes."
          faults={faults}
        />
        <p class="actions">
          <button type="submit" class="primary" name="what" value="codes">
            Make new recovery codes
          </button>
          <button type="submit" class="danger" name="what" value="remove">
            {isRequired ? 'Set up another app' : 'Remove the second factor'}
          </button>
          <a href="/staff/account">Leave it</a>
        </p>
      </form>
    </Layout>,
    status,
  );
}

export function newCodesPage(viewer: StaffCaller, codes: readonly string[]): WrittenHtml {
  return page(
    <Layout title="Your recovery codes" viewer={viewer} width="narrow">
      <RecoveryCodes codes={codes} />
      <p>
        <a class="button primary" href="/staff/account">
          I have kept them
        </a>
      </p>
    </Layout>,
  );
}
