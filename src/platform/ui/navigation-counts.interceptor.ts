import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import type { Caller } from '../access/caller.js';
import { nextTurn } from '../kernel/turns.js';
import { PlaceCounter } from './navigation.js';
import { DrawnPage } from './render.js';

/** Counts the lists for the navigation of every page, after its handler has changed what it changes. */
@Injectable()
export class NavigationCountsInterceptor implements NestInterceptor {
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
