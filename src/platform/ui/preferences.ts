import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** A person's settings for the pages, in cookies that last a year. */
export interface Preferences {
  /** Rows of 32 px. */
  readonly compact: boolean;
  readonly keys: boolean;
}

export const Preferred = createParamDecorator(
  (_: unknown, context: ExecutionContext): Preferences => {
    const { cookie = '' } = context.switchToHttp().getRequest<Request>().headers;
    const has = (pair: string) => cookie.split(/;\s*/).includes(pair);
    return { compact: has('rows=compact'), keys: !has('keys=off') };
  },
);

/** Not HttpOnly: the pages' scripts read it. */
export function preferenceCookie(
  name: 'rows' | 'keys',
  value: 'compact' | 'normal' | 'on' | 'off',
  publicUrl: string,
): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=/staff; Max-Age=31536000; SameSite=Lax${secure}`;
}
