import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { isEmail } from 'class-validator';
import { actorOf } from '../../audit/audit.service.js';
import { Staff, type StaffCaller } from '../../common/caller.js';
import { Clock } from '../../common/clock.js';
import { NotFound } from '../../common/problem.js';
import { Page, type StaffRole, staffRoles } from '../../common/scopes.js';
import { SeeOther, type WrittenHtml } from '../../common/written-html.js';
import { Config } from '../../config.js';
import { AccountService } from '../../staff/account.service.js';
import { type Link, LinksService } from '../../staff/links.service.js';
import { SecondFactorService } from '../../staff/second-factor.service.js';
import { SessionsService } from '../../staff/sessions.service.js';
import type { StaffMember } from '../../staff/staff-member.entity.js';
import { StaffService } from '../../staff/staff.service.js';
import { Form, QueryForm, SentForm } from '../form.js';
import { memberPage, membersPage, type MemberView, newMemberPage } from './members.js';
import { faultsOf, refusal } from './refusals.js';

const done = new Map([
  ['added', 'The member is added. Make a link for the first password below.'],
  ['role', 'The role is set. It holds from the next page on.'],
  ['second-factor', 'The second factor is forgotten, and the sessions have ended.'],
  ['sessions', 'The sessions have ended.'],
  ['enabled', 'The member is enabled.'],
  ['disabled', 'The member is disabled and signed out.'],
]);

const required = [
  { name: 'name', most: 120, missing: 'Write the name.' },
  {
    name: 'email',
    most: 254,
    missing: 'Write the e-mail address.',
    is: (text: string) => isEmail(text),
    wrong: 'This is no e-mail address. One looks like sam@example.com.',
  },
  {
    name: 'role',
    most: 16,
    missing: 'Choose a role.',
    is: (text: string) => isRole(text),
    wrong: 'Choose one of the roles.',
  },
];

function isRole(text: string): text is StaffRole {
  return (staffRoles as readonly string[]).includes(text);
}

/** Staff members: who they are, what they may do, and how they get in. */
@Controller('staff/members')
@ApiExcludeController()
export class MembersPagesController {
  constructor(
    private readonly staff: StaffService,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly account: AccountService,
    private readonly secondFactor: SecondFactorService,
    private readonly config: Config,
    private readonly clock: Clock,
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
    const faults = faultsOf((name) => form.text(name), required);
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
    return memberPage({ ...(await this.view(viewer, id)), done: done.get(query.text('done')) });
  }

  /** The answer is the one time that the link is shown: it leads nowhere else. */
  @Post(':id/link')
  @Page('admin')
  async makeLink(@Staff() viewer: StaffCaller, @Param('id') id: string): Promise<WrittenHtml> {
    const view = await this.viewOfAnother(viewer, id);
    let link: Link | undefined;
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
    const view = await this.viewOfAnother(viewer, id);
    const role = form.text('role');
    if (!isRole(role)) return memberPage({ ...view, refused: 'Choose one of the roles.' });
    await this.staff.setRole(id, role, actorOf(viewer));
    return new SeeOther(`/staff/members/${id}?done=role`);
  }

  @Post(':id/forget-second-factor')
  @Page('admin')
  async forgetSecondFactor(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
  ): Promise<SeeOther> {
    await this.viewOfAnother(viewer, id);
    await this.secondFactor.remove(id, actorOf(viewer));
    await this.sessions.endAllOf(id, actorOf(viewer));
    return new SeeOther(`/staff/members/${id}?done=second-factor`);
  }

  @Post(':id/end-sessions')
  @Page('admin')
  async endSessions(@Staff() viewer: StaffCaller, @Param('id') id: string): Promise<SeeOther> {
    await this.viewOfAnother(viewer, id);
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
    await this.viewOfAnother(viewer, id);
    const enabled = form.text('enabled') === 'yes';
    await this.staff.setEnabled(id, enabled, actorOf(viewer));
    return new SeeOther(`/staff/members/${id}?done=${enabled ? 'enabled' : 'disabled'}`);
  }

  /** Nobody locks themselves out, and so somebody who may administer is always left. */
  private async viewOfAnother(viewer: StaffCaller, id: string): Promise<MemberView> {
    if (id === viewer.staffId) throw new NotFound('Another administrator has to do this.');
    return this.view(viewer, id);
  }

  /** @throws {NotFound} */
  private async view(viewer: StaffCaller, id: string): Promise<MemberView> {
    const member = (await this.staff.list()).find((one) => one.id === id);
    if (!member) throw new NotFound('There is no such staff member.');
    return {
      viewer,
      member,
      sessions: await this.sessions.list(id),
      hasSecondFactor: await this.account.hasSecondFactor(id),
      passwords: this.config.staffPasswords,
      now: this.clock.now(),
    };
  }
}
