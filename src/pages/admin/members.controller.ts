import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { actorOf } from '../../audit/audit.service.js';
import { reasonRule } from '../../clients/client-rules.js';
import { TokensService } from '../../clients/tokens.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { NotFound } from '../../problems/problem.js';
import { Page, type StaffRole } from '../../access/scopes.js';
import { faultsOf } from '../../kernel/text-rules.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { type PasswordLink, LinksService } from '../../staff/sign-in/links.service.js';
import { isStaffRole, memberRules } from '../../staff/member-rules.js';
import { SecondFactorService } from '../../staff/sign-in/second-factor.service.js';
import { SessionsService } from '../../staff/sessions/sessions.service.js';
import type { StaffMember } from '../../staff/staff-member.entity.js';
import { StaffService } from '../../staff/staff.service.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { memberPage, membersPage, newMemberPage } from './members.js';
import { MemberViews } from './member-views.service.js';
import { refusal } from './refusals.js';

const done = new Map([
  ['added', 'The member is added. Make a link for the first password below.'],
  ['role', 'The role is set. It holds from the next page on.'],
  ['second-factor', 'The second factor is forgotten, and the sessions have ended.'],
  ['sessions', 'The sessions have ended.'],
  ['revoked', 'The token is revoked: refused everywhere within 5 seconds.'],
  ['enabled', 'The member is enabled.'],
  ['disabled', 'The member is disabled and signed out.'],
]);

/** Staff members: who they are, what they may do, and how they get in. */
@Controller('staff/members')
@ApiExcludeController()
export class MembersPagesController {
  constructor(
    private readonly views: MemberViews,
    private readonly staff: StaffService,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly secondFactor: SecondFactorService,
    private readonly tokens: TokensService,
  ) {}

  @Get()
  @Page('admin')
  async listMembers(@Staff() viewer: StaffCaller): Promise<WrittenHtml> {
    return membersPage(viewer, await this.staff.list());
  }

  @Get('new')
  @Page('admin')
  newMember(@Staff() viewer: StaffCaller): WrittenHtml {
    return newMemberPage(viewer);
  }

  @Post()
  @Page('admin')
  async addMember(
    @Staff() viewer: StaffCaller,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const faults = faultsOf((name) => form.text(name), memberRules);
    if (faults.size > 0) return newMemberPage(viewer, form, faults);
    const [name, email, role] = [form.text('name'), form.text('email'), form.text('role')];
    let added: StaffMember | undefined;
    const refused = await refusal(async () => {
      added = await this.staff.add({ name, email, role: role as StaffRole }, actorOf(viewer));
    });
    if (refused) return newMemberPage(viewer, form, new Map([['email', refused]]));
    return new SeeOther(`/staff/members/${added!.id}?done=added`);
  }

  @Get(':id')
  @Page('admin')
  async showMember(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    return memberPage({ ...(await this.views.of(viewer, id)), done: done.get(query.text('done')) });
  }

  /** The answer is the one time that the link is shown: it leads nowhere else. */
  @Post(':id/link')
  @Page('admin')
  async makeLink(@Staff() viewer: StaffCaller, @Param('id') id: string): Promise<WrittenHtml> {
    const view = await this.views.ofAnother(viewer, id);
    let link: PasswordLink | undefined;
    const refused = await refusal(async () => {
      link = await this.links.make(id, actorOf(viewer));
    });
    return memberPage({ ...view, link, refused });
  }

  @Post(':id/role')
  @Page('admin')
  async setRole(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const view = await this.views.ofAnother(viewer, id);
    const role = form.text('role');
    if (!isStaffRole(role)) return memberPage({ ...view, refused: 'Choose one of the roles.' });
    await this.staff.setRole(id, role, actorOf(viewer));
    return new SeeOther(`/staff/members/${id}?done=role`);
  }

  @Post(':id/forget-second-factor')
  @Page('admin')
  async forgetSecondFactor(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
  ): Promise<SeeOther> {
    await this.views.ofAnother(viewer, id);
    await this.secondFactor.remove(id, actorOf(viewer));
    await this.sessions.endAllOf(id, actorOf(viewer));
    return new SeeOther(`/staff/members/${id}?done=second-factor`);
  }

  @Post(':id/end-sessions')
  @Page('admin')
  async endSessions(@Staff() viewer: StaffCaller, @Param('id') id: string): Promise<SeeOther> {
    await this.views.ofAnother(viewer, id);
    await this.sessions.endAllOf(id, actorOf(viewer));
    return new SeeOther(`/staff/members/${id}?done=sessions`);
  }

  @Post(':id/enabled')
  @Page('admin')
  async setEnabled(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ): Promise<SeeOther> {
    await this.views.ofAnother(viewer, id);
    const enabled = form.text('enabled') === 'yes';
    await this.staff.setEnabled(id, enabled, actorOf(viewer));
    return new SeeOther(`/staff/members/${id}?done=${enabled ? 'enabled' : 'disabled'}`);
  }

  @Post(':id/tokens/:tokenId/revoke')
  @Page('admin')
  async revokeToken(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @Param('tokenId') tokenId: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const view = await this.views.of(viewer, id);
    if (!view.tokens.some((token) => token.id === tokenId)) throw new NotFound();
    const reason = form.text('reason');
    const fault = faultsOf(() => reason, [reasonRule]).get('reason');
    if (fault) return memberPage({ ...view, refusedRevocation: { tokenId, fault, reason } });
    const refused = await refusal(() => this.tokens.revoke(tokenId, actorOf(viewer), reason));
    // It was revoked by somebody else a moment ago: that is what was wanted.
    return new SeeOther(`/staff/members/${id}${refused ? '' : '?done=revoked'}`);
  }
}
