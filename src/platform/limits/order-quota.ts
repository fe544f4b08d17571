import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import type { WindowCount } from './count-window.js';

/** The limit of an order that the statement that stores it counts, on PostgreSQL. */
export interface OrderQuota {
  readonly key: string;
  /** Orders a minute. */
  readonly most: number;
  /** Set after the count was committed. */
  counted?: WindowCount;
}

declare module 'express-serve-static-core' {
  interface Response {
    orderQuota?: OrderQuota | undefined;
  }
}

/** The quota that the guard has set; undefined where the guard has counted the order. */
export const Quota = createParamDecorator(
  (_: unknown, context: ExecutionContext): OrderQuota | undefined =>
    context.switchToHttp().getResponse<Response>().orderQuota,
);
