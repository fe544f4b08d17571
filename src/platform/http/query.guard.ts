import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import { MalformedRequest } from '../problems/problem.js';
import { isDescribed } from './described.js';

/**
 * Refuses any query parameter of an operation that declares none; `ValidQuery` refuses the unknown ones of
 * the others. A misspelt or unsupported filter would otherwise be ignored, and the answer look right. Pages
 * are left alone: links of others lead to them.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?')) return true;
    const controller = context.getClass();
    if (!isDescribed(controller) || takesQuery(controller, context.getHandler().name)) return true;
    if (Object.keys(request.query).length === 0) return true;
    throw new MalformedRequest('This operation takes no query parameters. Remove them.');
  }
}

/** Whether a parameter of the handler is declared by `@Query` or `@ValidQuery`. */
function takesQuery(controller: object, handler: string): boolean {
  const declared = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) as object;
  return Object.keys(declared ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
