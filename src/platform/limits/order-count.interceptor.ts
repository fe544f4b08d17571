import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { isUnavailable } from '../database/engine/errors.js';
import { setHeaders } from '../http/tracked-response.js';
import { allowanceHeaders, type OrderQuota, refuseExceeded } from './count-window.js';
import { RateLimitsService } from './rate-limits.service.js';

/**
 * Counts orders that were not counted where they were stored, because they were refused or repeated. An
 * order over the limit gets 429, even if something else is wrong with it.
 */
@Injectable()
export class OrderCountInterceptor implements NestInterceptor {
  constructor(private readonly limits: RateLimitsService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const { orderQuota } = response;
    return orderQuota ? from(this.answer(orderQuota, next, response)) : next.handle();
  }

  private async answer(quota: OrderQuota, next: CallHandler, response: Response): Promise<unknown> {
    const until = this.limits.latestCount;
    const [outcome] = await Promise.allSettled([lastValueFrom<unknown>(next.handle())]);
    const failure: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
    if (!isUnavailable(failure)) await this.finish(quota, until, response);
    if (outcome.status === 'rejected') throw failure;
    return outcome.value;
  }

  /** @throws {RateLimited} */
  private async finish(quota: OrderQuota, until: number, response: Response): Promise<void> {
    const allowance = await this.limits.allowanceOf(quota, until);
    if (!allowance) return;
    refuseExceeded(allowance);
    setHeaders(response, allowanceHeaders(allowance));
  }
}
