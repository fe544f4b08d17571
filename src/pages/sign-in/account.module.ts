import { Module } from '@nestjs/common';
import { ClientsModule } from '../../clients/clients.module.js';
import { StaffModule } from '../../staff/staff.module.js';
import { AccountController } from './account.controller.js';
import { AccountSecondFactorController } from './account-second-factor.controller.js';
import { SignInCodeController } from './sign-in-code.controller.js';
import { SignInProviderController } from './sign-in-provider.controller.js';
import { SignInController } from './sign-in.controller.js';

/** WHO ARE YOU? The pages of the sign-in, and those of one's own account. */
@Module({
  imports: [StaffModule, ClientsModule],
  controllers: [
    SignInController,
    SignInCodeController,
    SignInProviderController,
    AccountController,
    AccountSecondFactorController,
  ],
})
export class AccountModule {}
