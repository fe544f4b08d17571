import {
  applyDecorators,
  Controller,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Page, Public } from '../access/rules.js';
import type { StaffRole } from '../access/scopes.js';
import type { Request } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import type { Caller } from '../access/caller.js';
import { nextTurn } from '../kernel/turns.js';
import { PlaceCounter } from './navigation.js';
import { DrawnPage } from './render.js';

/** Counts the lists for the navigation of every page, after its handler has changed what it changes. */
@Injectable()
class NavigationCountsInterceptor implements NestInterceptor {
  constructor(private readonly counts: PlaceCounter) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const { user } = context.switchToHttp().getRequest<Request>();
    const caller = user as Caller | undefined;
    return next.handle().pipe(
      mergeMap(async (body) => {
        if (!(body instanceof DrawnPage) || caller?.kind !== 'staff') return body;
        const counts = await this.counts.ofViews(caller);
        // A large page takes milliseconds to write, as did what its handler has worked out.
        await nextTurn();
        return body.withCounts(counts);
      }),
    );
  }
}

/** A controller of pages for staff with at least this role, or for everyone. */
export function StaffPages(path: string, least: StaffRole | 'public'): ClassDecorator {
  const rule = (least === 'public' ? Public() : Page(least)) as MethodDecorator;
  return (controller) => {
    applyDecorators(
      Controller(path),
      ApiExcludeController(),
      UseInterceptors(NavigationCountsInterceptor),
    )(controller);
    const prototype = controller.prototype as object;
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name !== 'constructor') rule(prototype, name, property);
    }
  };
}
