import { revokeToken, tokenMessages, type TokenPath } from './tokens.js';
import { Get, Param, Post } from '@nestjs/common';
import { actorOf } from '../platform/audit/audit.service.js';
import { TokensService } from '../clients/tokens.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Heavy } from '../platform/access/rules.js';
import { ReportCountsService } from '../reports/report-counts.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { NotFound } from '../platform/problems/problem.js';
import type { SeeOther, WrittenHtml } from '../platform/http/written.js';
import { AccountService } from '../staff/account.service.js';
import { SessionsService } from '../staff/sessions/sessions.service.js';
import { LinksService } from '../staff/sign-in/links.service.js';
import { SecondFactorService } from '../staff/sign-in/second-factor.service.js';
import { StaffService } from '../staff/staff.service.js';
import { send } from '../platform/ui/forms/input-form.js';
import { FormPage } from '../platform/ui/form-page.js';
import { page } from '../platform/ui/render.js';
import { FlashMessages } from '../platform/ui/flash-messages.js';
import { MemberPage, type MemberProps, MembersPage, newMemberForm, roleForm } from './members.js';
import { addByForm, attempt } from './refusals.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import { StaffPages } from '../platform/ui/staff-pages.js';

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
    return page(<MembersPage {...{ viewer, rows }} now={this.clock.now()} />);
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
    return { viewer, member, account, tokens: await this.tokens.list({ staffMemberId: id }) };
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
