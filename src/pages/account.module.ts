import { Module } from '@nestjs/common';
import { StaffModule } from '../staff/staff.module.js';
import { AccountController } from './account.controller.js';

/** WHO ARE YOU? The pages of the sign-in, and those of one's own account. */
@Module({ imports: [StaffModule], controllers: [AccountController] })
export class AccountModule {}
