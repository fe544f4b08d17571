import { MemberTokens, revokeToken, tokenMessages, type TokenPath } from './tokens.js';
import { Get, Param, Post } from '@nestjs/common';
import { actorOf } from '../platform/audit/audit.service.js';
import { TokensService } from '../clients/tokens.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Heavy } from '../platform/access/rules.js';
import { counted } from '../platform/kernel/counts.js';
import { OrderActionsService } from '../orders/staff/order-actions.service.js';
import { ReportCountsService } from '../reports/report-counts.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { NotFound } from '../platform/problems/problem.js';
import type { SeeOther, WrittenHtml } from '../platform/http/written.js';
import { AccountService, type Account } from '../staff/account.service.js';
import { SessionsService } from '../staff/sessions/sessions.service.js';
import { LinksService, type PasswordLink } from '../staff/sign-in/links.service.js';
import { SecondFactorService } from '../staff/sign-in/second-factor.service.js';
import { StaffService } from '../staff/staff.service.js';
import { send, inputForm } from '../platform/ui/forms/input-form.js';
import { FormPage, type FormPageSpec } from '../platform/ui/form-page.js';
import { page } from '../platform/ui/render.js';
import { FlashMessages, type FlashMessage } from '../platform/ui/flash-messages.js';
import { addByForm, attempt } from './refusals.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import type { AccessToken } from '../clients/access-token.entity.js';
import { roleNames, type StaffRole } from '../platform/access/scopes.js';
import { MemberRole, NewMember } from '../staff/members.dto.js';
import type { StaffMember } from '../staff/member/staff-member.entity.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { Copyable, Notice, Time } from '../platform/ui/parts.js';
import { Facts, Section } from '../platform/ui/table.js';
import { describeBrowser } from '../staff/screens/account-browser.js';
import { AdminLayout, ListPage, EnabledSection, EnabledState, More } from './admin-layout.js';

const memberMessages = new FlashMessages({
  ...tokenMessages,
  'member-added': 'Member added. Create a link for the first password below.',
  'member-enabled': 'Member enabled.',
  'member-disabled': 'Member disabled and signed out.',
  'member-role':
    'Role saved. It applies from the next page on, and to the member’s tokens at once.',
  'member-second-factor': 'Second factor removed. All sessions have ended.',
  'member-sessions': 'Sessions ended.',
});

@StaffPages('staff/members', 'admin')
export class MembersPagesController {
  constructor(
    private readonly staff: StaffService,
    private readonly account: AccountService,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly secondFactor: SecondFactorService,
    private readonly tokens: TokensService,
    private readonly counts: ReportCountsService,
    private readonly orders: OrderActionsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Heavy()
  async listMembers(@Visited() { viewer }: Visit) {
    const members = await this.staff.list();
    const factors = this.secondFactor.isAvailable ? await this.secondFactor.owners() : null;
    const owned = { by: { owner: 'r.ownerId' }, withoutAmounts: true } as const;
    const open = new Map(
      (await this.counts.openOrders(owned)).map(({ by, n }) => [String(by.owner), n]),
    );
    const rows = members.map((member) => {
      const hasSecondFactor = factors && factors.has(member.id);
      return { member, hasSecondFactor, openOrders: open.get(member.id) ?? 0 };
    });
    return page(<MembersPage viewer={viewer} rows={rows} now={this.clock.now()} />);
  }

  @Get('new')
  newMember(@Visited() { viewer }: Visit) {
    return page(<FormPage {...newMemberForm} viewer={viewer} />);
  }

  @Post()
  addMember(@Visited() { viewer, form }: Visit) {
    return addByForm(newMemberForm, { viewer, form }, memberMessages, 'member-added', (member) =>
      this.staff.add(member, actorOf(viewer)),
    );
  }

  @Get(':id')
  async showMember(@Visited() { viewer, query }: Visit, @Param('id') id: string) {
    return draw({ ...(await this.view(viewer, id)), said: memberMessages.in(query) });
  }

  /** Not a redirect: the link is shown only in this response. */
  @Post(':id/link')
  async makeLink(@Visited() { viewer }: Visit, @Param('id') id: string) {
    const view = await this.viewOfAnother(viewer, id);
    const outcome = await attempt(() => this.links.make(id, actorOf(viewer)));
    return 'refused' in outcome
      ? draw({ ...view, problem: outcome.refused })
      : draw({ ...view, link: outcome.result });
  }

  @Post(':id/role')
  async setRole(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const view = await this.viewOfAnother(viewer, id);
    const sent = await send(roleForm(view.member.role), form, ({ role }) =>
      this.staff.setRole(id, role, actorOf(viewer)),
    );
    if ('refused' in sent) return draw({ ...view, refused: sent.refused });
    return memberMessages.redirect(`/staff/members/${id}`, 'member-role');
  }

  @Post(':id/forget-second-factor')
  forgetSecondFactor(@Visited() { viewer }: Visit, @Param('id') id: string) {
    return this.change(viewer, id, 'member-second-factor', async () => {
      await this.secondFactor.remove(id, actorOf(viewer));
      await this.sessions.endAllOf(id, actorOf(viewer));
    });
  }

  @Post(':id/end-sessions')
  endSessions(@Visited() { viewer }: Visit, @Param('id') id: string) {
    return this.change(viewer, id, 'member-sessions', () =>
      this.sessions.endAllOf(id, actorOf(viewer)),
    );
  }

  @Post(':id/enabled')
  setEnabled(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const enabled = form.text('enabled') === 'yes';
    return this.change(viewer, id, enabled ? 'member-enabled' : 'member-disabled', () =>
      this.staff.setEnabled(id, enabled, actorOf(viewer)),
    );
  }

  @Post(':id/tokens/:tokenId/revoke')
  async revokeToken(@Visited() { viewer, form }: Visit, @Param() path: TokenPath) {
    const view = await this.view(viewer, path.id);
    const outcome = await revokeToken(this.tokens, view, path.tokenId, form);
    if (outcome instanceof Object) return draw({ ...view, refused: outcome });
    return memberMessages.redirect(`/staff/members/${path.id}`, outcome);
  }

  /** @throws {NotFound} also for the viewer's own account */
  private async change(
    viewer: StaffCaller,
    id: string,
    said: Parameters<typeof memberMessages.redirect>[1],
    work: () => Promise<unknown>,
  ): Promise<SeeOther> {
    await this.viewOfAnother(viewer, id);
    await work();
    return memberMessages.redirect(`/staff/members/${id}`, said);
  }

  /** @throws {NotFound} */
  private async view(viewer: StaffCaller, id: string): Promise<MemberProps> {
    const member = (await this.staff.list()).find((one) => one.id === id);
    if (!member) throw new NotFound('There is no such staff member.');
    const account = await this.account.view(id);
    const held = member.enabled ? 0 : await this.orders.held(id);
    return { viewer, member, account, held, tokens: await this.tokens.list({ staffMemberId: id }) };
  }

  /**
   * No administrators can lock themselves out, so that one always remains.
   * @throws {NotFound} also for the viewer's own account
   */
  private async viewOfAnother(viewer: StaffCaller, id: string): Promise<MemberProps> {
    if (id === viewer.staffId) throw new NotFound('Another administrator has to do this.');
    return this.view(viewer, id);
  }
}

function draw(props: MemberProps): WrittenHtml {
  return page(<MemberPage {...props} />, props.problem || props.refused ? 422 : undefined);
}

const roleWords = {
  label: 'Role',
  hint: 'An agent works on orders; a manager also assigns, approves and reads reports; a commercial manager also manages the catalogue; an administrator also manages API clients and staff.',
  names: roleNames,
  missing: 'Choose a role.',
} as const;

const roleForm = (role: StaffRole) =>
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

const newMemberForm = {
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

function MembersPage({ viewer, rows, now }: MembersProps) {
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

interface MemberProps {
  readonly viewer: StaffCaller;
  readonly member: StaffMember;
  readonly account: Account;
  /** Open orders and enquiries of a member who is disabled. */
  readonly held: number;
  readonly tokens: readonly AccessToken[];
  readonly link?: PasswordLink;
  readonly said?: FlashMessage | null;
  readonly problem?: string;
  readonly refused?: RefusedForm;
}

function MemberPage(props: MemberProps) {
  const { viewer, member, account, held, tokens, link, said, problem, refused } = props;
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
      {held > 0 && (
        <Notice
          kind="soon"
          title={`${member.name} is disabled, and still owns ${counted(held, 'open order or enquiry', 'open orders and enquiries')}.`}
        >
          <p>
            <a href={`/staff/queue?view=open&owner=${member.id}`}>Hand them over</a>
          </p>
        </Notice>
      )}
      <MemberFacts {...props} />
      <Section title="Tokens">
        <MemberTokens member={member} place={place} tokens={tokens} now={now} refused={refused} />
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
