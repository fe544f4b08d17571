import type { AccessToken } from '../clients/access-token.entity.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { roleNames, scopesOfRole, type StaffRole } from '../platform/access/scopes.js';
import type { Account } from '../staff/account.service.js';
import { MemberRole, NewMember } from '../staff/members.dto.js';
import type { PasswordLink } from '../staff/sign-in/links.service.js';
import type { StaffMember } from '../staff/member/staff-member.entity.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { inputForm } from '../platform/ui/forms/input-form.js';
import { PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { Copyable, Notice, Time } from '../platform/ui/parts.js';
import type { FlashMessage } from '../platform/ui/flash-messages.js';
import { Facts, Section } from '../platform/ui/table.js';
import { describeBrowser } from '../staff/screens/account-browser.js';
import type { FormPageSpec } from '../platform/ui/form-page.js';
import { AdminLayout, ListPage, EnabledSection, EnabledState, More } from './admin-layout.js';
import { Tokens } from './tokens.js';

const roleWords = {
  label: 'Role',
  hint: 'An agent works on orders; a manager also assigns and reads reports; an administrator also manages clients, staff and the catalogue.',
  names: roleNames,
  missing: 'Choose a role.',
} as const;

export const roleForm = (role: StaffRole) =>
  inputForm(MemberRole, { role: { ...roleWords, first: role } });

const newMember = inputForm(NewMember, {
  name: { label: 'Name', missing: 'Enter the name.' },
  email: {
    label: 'Email',
    hint: 'Also the name for sign-in.',
    input: { type: 'email' },
    missing: 'Enter the email address.',
  },
  role: { ...roleWords, first: 'agent' },
});

export const newMemberForm = {
  title: 'Add a member',
  here: 'members',
  action: '/staff/members',
  button: 'Add',
  cancel: '/staff/members',
  form: newMember,
  fields: newMember.fields,
} satisfies FormPageSpec & { readonly form: unknown };

interface MemberRow {
  readonly member: StaffMember;
  /** Null where second factors are off. */
  readonly hasSecondFactor: boolean | null;
  readonly openOrders: number;
}

interface MembersProps {
  readonly viewer: StaffCaller;
  readonly rows: readonly MemberRow[];
  readonly now: Date;
}

export function MembersPage({ viewer, rows, now }: MembersProps) {
  return (
    <ListPage
      title={`Staff ${rows.length}`}
      viewer={viewer}
      here="members"
      add={{ href: '/staff/members/new', text: 'Add a member' }}
      caption="Staff members by name"
      rows={rows}
      columns={[
        {
          name: 'Name',
          of: ({ member: { id, name } }) => <a href={`/staff/members/${id}`}>{name}</a>,
          class: 'words',
          heads: true,
        },
        { name: 'Email', of: ({ member }) => member.email, class: 'words' },
        { name: 'Role', of: ({ member }) => roleNames[member.role] },
        {
          name: 'Last sign-in',
          of: ({ member: { lastSignedInAt } }) =>
            lastSignedInAt ? <Time at={lastSignedInAt} now={now} /> : 'Never',
        },
        {
          name: 'Second factor',
          of: ({ hasSecondFactor }) =>
            hasSecondFactor === null ? 'Off' : hasSecondFactor ? 'Set up' : 'None',
        },
        {
          name: 'Open orders',
          of: ({ member: { id }, openOrders }) =>
            openOrders === 0 ? 0 : <a href={`/staff/queue?view=open&owner=${id}`}>{openOrders}</a>,
          class: 'number',
        },
        { name: 'State', of: ({ member }) => <EnabledState enabled={member.enabled} /> },
      ]}
    />
  );
}

export interface MemberProps {
  readonly viewer: StaffCaller;
  readonly member: StaffMember;
  readonly account: Account;
  readonly tokens: readonly AccessToken[];
  readonly link?: PasswordLink;
  readonly said?: FlashMessage | null;
  readonly problem?: string;
  readonly refused?: RefusedForm;
}

export function MemberPage(props: MemberProps) {
  const { viewer, member, account, tokens, link, said, problem, refused } = props;
  const { now } = account;
  const isSelf = member.id === viewer.staffId;
  const place = `/staff/members/${member.id}`;
  return (
    <AdminLayout title={member.name} viewer={viewer} here="members" said={said}>
      <p class="crumb">
        <a href="/staff/members">All staff</a>
      </p>
      {problem && <Notice kind="bad" title={problem} />}
      <RefusedSummary refused={refused} />
      {link && (
        <Notice kind="good" title="Copy this link now: it is not shown again.">
          <p>
            <Copyable text={link.url} label="the link" />
          </p>
          <p class="hint">
            {`${member.name} can set a password with it, once, until `}
            <Time at={link.expiresAt} now={now} />. Earlier links no longer work.
          </p>
        </Notice>
      )}
      {isSelf && (
        <Notice kind="plain" title="This is you.">
          <p>
            Only another administrator can change your role or disable you.{' '}
            <a href="/staff/account">Your account</a>
          </p>
        </Notice>
      )}
      <MemberFacts {...props} />
      <Section title="Tokens">
        {tokens.length === 0 ? (
          <p class="hint">
            None. Issue one for programs that act for this member with{' '}
            <code>tokens issue --staff</code> at the command line.
          </p>
        ) : (
          <Tokens
            name={member.name}
            allowed={scopesOfRole(member.role)}
            {...{ place, tokens, now, refused }}
          />
        )}
      </Section>
      {!isSelf && <Changes {...props} place={place} />}
    </AdminLayout>
  );
}

function MemberFacts({ member, account: { sessions, secondFactor, now } }: MemberProps) {
  const { id, email, role, enabled, createdAt, lastSignedInAt } = member;
  const signedIn = sessions.map(({ userAgent, address, lastSeenAt }) => (
    <div>
      {`${describeBrowser(userAgent)}, ${address}, `}
      <Time at={lastSeenAt} now={now} />
    </div>
  ));
  return (
    <Facts
      of={[
        ['Email', email],
        ['Role', roleNames[role]],
        ['State', <EnabledState enabled={enabled} />],
        ['Second factor', secondFactor?.since ? 'Set up' : 'None'],
        ['Last sign-in', lastSignedInAt ? <Time at={lastSignedInAt} now={now} /> : 'Never'],
        ['Sessions', signedIn.length === 0 ? 'No active sessions' : signedIn],
        ['Added', <Time at={createdAt} now={now} />],
        ['Orders', <a href={`/staff/queue?view=all&owner=${id}`}>All orders of this member</a>],
      ]}
    />
  );
}

function Changes({ member, account, place, refused }: MemberProps & { place: string }) {
  const { enabled, role } = member;
  return (
    <>
      <Section title="Role">
        <More summary={`Change the role: ${roleNames[role]}`}>
          <PostForm
            action={`${place}/role`}
            fields={roleForm(role).fields}
            refused={refused}
            button="Save role"
          />
        </More>
      </Section>
      {account.password && enabled && (
        <Section title="Password">
          <p class="hint">For the first password, or a forgotten one.</p>
          <PostForm action={`${place}/link`} button="Create a link" />
        </Section>
      )}
      {account.secondFactor?.since && (
        <Section title="Second factor">
          <p class="hint">For a member who has lost the phone and the recovery codes.</p>
          <PostForm
            action={`${place}/forget-second-factor`}
            button="Remove it and end all sessions"
            kind="danger"
          />
        </Section>
      )}
      {account.sessions.length > 0 && (
        <Section title="Sessions">
          <PostForm action={`${place}/end-sessions`} button="End all sessions" />
        </Section>
      )}
      <EnabledSection
        enabled={enabled}
        what="member"
        action={`${place}/enabled`}
        hint={
          enabled
            ? 'Ends all sessions and blocks all tokens. The member keeps their orders until a colleague hands them over.'
            : 'Lets the member sign in again.'
        }
      />
    </>
  );
}
