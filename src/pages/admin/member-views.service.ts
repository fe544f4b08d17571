import { Injectable } from '@nestjs/common';
import { TokensService } from '../../clients/tokens.service.js';
import type { StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../problems/problem.js';
import { Config } from '../../config/config.js';
import { AccountService } from '../../staff/account.service.js';
import { StaffService } from '../../staff/staff.service.js';
import type { MemberView } from './members.js';

/** What the page of a staff member shows. */
@Injectable()
export class MemberViews {
  constructor(
    private readonly staff: StaffService,
    private readonly account: AccountService,
    private readonly tokens: TokensService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws {NotFound} */
  async of(viewer: StaffCaller, id: string): Promise<MemberView> {
    const member = (await this.staff.list()).find((one) => one.id === id);
    if (!member) throw new NotFound('There is no such staff member.');
    const { sessions, secondFactor } = await this.account.view(id);
    return {
      viewer,
      member,
      sessions,
      tokens: await this.tokens.list({ staffMemberId: id }),
      hasSecondFactor: Boolean(secondFactor?.since),
      passwords: this.config.staffPasswords,
      now: this.clock.now(),
    };
  }

  /**
   * Nobody locks themselves out, and so somebody who may administer is always left.
   * @throws {NotFound} also where it is the viewer
   */
  async ofAnother(viewer: StaffCaller, id: string): Promise<MemberView> {
    if (id === viewer.staffId) throw new NotFound('Another administrator has to do this.');
    return this.of(viewer, id);
  }
}
