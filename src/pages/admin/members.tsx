import type { AccessToken } from '../../clients/access-token.entity.js';
import type { StaffCaller } from '../../access/caller.js';
import { staffRoles } from '../../access/scopes.js';
import type { WrittenHtml } from '../../http/written-html.js';
import type { PasswordLink } from '../../staff/sign-in/links.service.js';
import type { StaffMember } from '../../staff/staff-member.entity.js';
import type { StaffSession } from '../../staff/sessions/staff-session.entity.js';
import { describeBrowser } from '../sign-in/account-browser.js';
import { type Faults, FaultSummary, Select, TextField } from '../forms/fields.js';
import type { Form } from '../forms/form.js';
import { AdminLayout } from './admin-layout.js';
import { Copyable, Notice, Time } from '../shell/parts.js';
import { page } from '../shell/render.js';
import { Tokens, type TokensView } from './tokens.js';
import { roleNames } from '../shell/words.js';

const roleHint =
  'An agent works on orders; a manager also assigns and reads reports; an administrator also manages clients, staff and the catalogue.';

const roleChoices = staffRoles.map((value) => ({ value, name: roleNames[value] }));

export function membersPage(viewer: StaffCaller, members: readonly StaffMember[]): WrittenHtml {
  return page(
    <AdminLayout title={`Staff ${members.length}`} viewer={viewer} here="members">
      <p class="actions">
        <a class="button primary" href="/staff/members/new">
          Add a member
        </a>
      </p>
      <div class="scroll">
        <table>
          <caption class="unseen">Staff members by name</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">E-mail address</th>
              <th scope="col">Role</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <tr>
                <th scope="row">
                  <a href={`/staff/members/${member.id}`}>{member.name}</a>
                </th>
                <td>{member.email}</td>
                <td>{roleNames[member.role]}</td>
                <td>{member.enabled ? 'Enabled' : <span class="late">Disabled</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </AdminLayout>,
  );
}

export function newMemberPage(viewer: StaffCaller, form?: Form, faults?: Faults): WrittenHtml {
  return page(
    <AdminLayout title="Add a member" viewer={viewer} here="members" width="narrow">
      <FaultSummary faults={faults} />
      <form method="post" action="/staff/members">
        <TextField
          name="name"
          label="Name"
          value={form?.text('name')}
          faults={faults}
          input={{ maxLength: 120, required: true, autocomplete: 'off' }}
        />
        <TextField
          name="email"
          label="E-mail address"
          hint="Also the name to sign in with."
          value={form?.text('email')}
          faults={faults}
          input={{ type: 'email', maxLength: 254, required: true, autocomplete: 'off' }}
        />
        <Select
          name="role"
          label="Role"
          hint={roleHint}
          choices={roleChoices}
          value={form?.text('role') ?? 'agent'}
          faults={faults}
        />
        <p class="actions">
          <button type="submit" class="primary">
            Add
          </button>
          <a href="/staff/members">Cancel</a>
        </p>
      </form>
    </AdminLayout>,
    faults ? 422 : undefined,
  );
}

export interface MemberView {
  readonly viewer: StaffCaller;
  readonly member: StaffMember;
  readonly sessions: readonly StaffSession[];
  readonly tokens: readonly AccessToken[];
  readonly refusedRevocation?: TokensView['refused'];
  readonly hasSecondFactor: boolean;
  /** Whether members can have passwords here. */
  readonly passwords: boolean;
  readonly now: Date;
  readonly link?: PasswordLink;
  readonly done?: string;
  readonly refused?: string;
}

export function memberPage(view: MemberView): WrittenHtml {
  const { viewer, member, now, link, done, refused, refusedRevocation, sessions } = view;
  const self = member.id === viewer.staffId;
  return page(
    <AdminLayout title={member.name} viewer={viewer} here="members">
      <p class="crumb">
        <a href="/staff/members">All staff</a>
      </p>
      {done && <Notice kind="good" title={done} />}
      {refused && <Notice kind="bad" title={refused} />}
      <FaultSummary
        faults={refusedRevocation && new Map([['reason', refusedRevocation.fault]])}
        ids={{ reason: `reason-${refusedRevocation?.tokenId}` }}
      />
      {link && (
        <Notice kind="good" title="Pass this link on. It is shown only now.">
          <p>
            <Copyable text={link.url} label="the link" />
          </p>
          <p class="hint">
            {`With it ${member.name} sets a password, once, until `}
            <Time at={link.expiresAt} now={now} />. Earlier links no longer work.
          </p>
        </Notice>
      )}
      {self && (
        <Notice kind="plain" title="This is you.">
          <p>
            Another administrator has to change your role or disable you.{' '}
            <a href="/staff/account">Your account</a>
          </p>
        </Notice>
      )}
      <dl class="facts">
        <dt>E-mail address</dt>
        <dd>{member.email}</dd>
        <dt>Role</dt>
        <dd>{roleNames[member.role]}</dd>
        <dt>State</dt>
        <dd>{member.enabled ? 'Enabled' : <span class="late">Disabled</span>}</dd>
        <dt>Second factor</dt>
        <dd>{view.hasSecondFactor ? 'Set up' : 'None'}</dd>
        <dt>Signed in</dt>
        <dd>
          {sessions.length === 0
            ? 'Nowhere'
            : sessions.map((one) => <Session session={one} now={now} />)}
        </dd>
        <dt>Added</dt>
        <dd>
          <Time at={member.createdAt} now={now} />
        </dd>
        <dt>Orders</dt>
        <dd>
          <a href={`/staff/queue?view=all&owner=${member.id}`}>All orders of this member</a>
        </dd>
      </dl>
      <MemberTokens {...view} />
      {!self && <Changes {...view} />}
    </AdminLayout>,
    refused || refusedRevocation ? 422 : undefined,
  );
}

function MemberTokens({ member, tokens, now, refusedRevocation }: MemberView) {
  return (
    <section>
      <h2>Tokens</h2>
      {tokens.length === 0 ? (
        <p class="hint">
          None. <code>tokens issue --staff</code> issues them at the command line, for programs that
          act for this member.
        </p>
      ) : (
        <Tokens
          name={member.name}
          tokens={tokens}
          place={`/staff/members/${member.id}`}
          now={now}
          refused={refusedRevocation}
        />
      )}
    </section>
  );
}

function Session({ session, now }: { session: StaffSession; now: Date }) {
  return (
    <div>
      {`${describeBrowser(session.userAgent)}, ${session.address}, `}
      <Time at={session.lastSeenAt} now={now} />
    </div>
  );
}

function Changes({ member, passwords, hasSecondFactor, sessions }: MemberView) {
  const action = (what: string) => `/staff/members/${member.id}/${what}`;
  return (
    <>
      <section>
        <h2>What the member may do</h2>
        <form method="post" action={action('role')}>
          <Select
            name="role"
            label="Role"
            hint={roleHint}
            choices={roleChoices}
            value={member.role}
          />
          <button type="submit">Set the role</button>
        </form>
      </section>
      {passwords && member.enabled && (
        <section>
          <h2>Password</h2>
          <p class="hint">Makes a link to set a password: the first one, or a forgotten one.</p>
          <form method="post" action={action('link')}>
            <button type="submit">Make a link</button>
          </form>
        </section>
      )}
      {hasSecondFactor && (
        <section>
          <h2>Second factor</h2>
          <p class="hint">For somebody who has lost the phone and the recovery codes.</p>
          <form method="post" action={action('forget-second-factor')}>
            <button type="submit" class="danger">
              Forget it, and end the sessions
            </button>
          </form>
        </section>
      )}
      {sessions.length > 0 && (
        <section>
          <h2>Sessions</h2>
          <form method="post" action={action('end-sessions')}>
            <button type="submit">End all sessions</button>
          </form>
        </section>
      )}
      <section>
        <h2>{member.enabled ? 'Disable' : 'Enable'}</h2>
        <p class="hint">
          {member.enabled
            ? 'Ends the sessions, refuses the tokens. The orders stay with the member until somebody hands them over.'
            : 'Lets the member sign in again.'}
        </p>
        <form method="post" action={action('enabled')}>
          <input type="hidden" name="enabled" value={member.enabled ? 'no' : 'yes'} />
          <button type="submit" class={member.enabled ? 'danger' : undefined}>
            {member.enabled ? 'Disable this member' : 'Enable this member'}
          </button>
        </form>
      </section>
    </>
  );
}
