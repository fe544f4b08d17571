import { Module } from '@nestjs/common';
import { AuditNamesService, namesFrom } from '../platform/audit/audit-names.service.js';
import { RetentionService } from '../platform/retention/retention.service.js';
import { AccountService } from './account.service.js';
import { LinksService } from './sign-in/links.service.js';
import { OidcService } from './sign-in/oidc.service.js';
import { PasswordsService } from './sign-in/passwords.service.js';
import { ProviderMembersService } from './sign-in/provider-members.service.js';
import { SecondFactorService } from './sign-in/second-factor.service.js';
import { SessionGuard } from './sessions/session.guard.js';
import { SessionsService } from './sessions/sessions.service.js';
import { SignInDelaysService } from './sign-in/sign-in-delays.service.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { StaffMember } from './member/staff-member.entity.js';
import { StaffService } from './staff.service.js';

const services = [
  AccountService,
  LinksService,
  OidcService,
  PasswordsService,
  ProviderMembersService,
  SecondFactorService,
  SessionGuard,
  SessionsService,
  SignInDelaysService,
  SignInService,
  StaffService,
];

/** WHO WORKS HERE: the operator's staff, and how they sign in. */
@Module({ providers: services, exports: services })
export class StaffModule {
  constructor(
    names: AuditNamesService,
    retention: RetentionService,
    sessions: SessionsService,
    links: LinksService,
    delays: SignInDelaysService,
  ) {
    // Each knows when its rows have expired.
    for (const service of [sessions, links, delays]) {
      retention.register({
        rows: 'sign-in records',
        days: 0,
        prune: (tx, _now, most) => service.prune(tx, most),
      });
    }
    names.register(
      'staff',
      namesFrom(StaffMember, ({ name }) => name),
    );
  }
}
