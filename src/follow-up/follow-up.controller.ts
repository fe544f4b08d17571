import { Controller, Get } from '@nestjs/common';
import { Requires } from '../common/scopes.js';
import { ValidQuery } from '../common/valid.js';
import { FollowUpPage, FollowUpQuery } from './follow-up.dto.js';
import { FollowUpService } from './follow-up.service.js';

@Controller('follow-up')
export class FollowUpController {
  constructor(private readonly followUp: FollowUpService) {}

  /**
   * List orders to follow up
   *
   * @remarks For the operator's staff. Longest waiting first, with whom to contact and what was
   * ordered.
   */
  @Get('orders')
  @Requires('follow-up:read')
  listFollowUp(@ValidQuery() query: FollowUpQuery): Promise<FollowUpPage> {
    return this.followUp.list(query);
  }
}
