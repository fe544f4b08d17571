import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Compatibility, ClientNearNet } from '../kernel/client-options.js';
import type { Scope, StaffRole } from './scopes.js';

interface TokenBearer {
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** The limits of an API client; null: as configured. */
export interface ClientLimits {
  readonly lookupsPerMinute: number | null;
  /** Checks a second. */
  readonly lookupBurst: number | null;
  readonly ordersPerMinute: number | null;
  /** Concurrent requests. */
  readonly inFlight: number | null;
}

export interface TokenInfo {
  readonly label: string;
  readonly expiresAt: Date;
}

/** Where the networks of the operator and of an API client meet. */
export interface Interconnect {
  /** What orders name: `NNI-LON1`. */
  readonly code: string;
  readonly label: string;
}

/** An API client, as its token identifies it. */
export interface ClientCaller extends TokenBearer {
  readonly kind: 'client';
  readonly clientId: string;
  readonly priceList: string;
  readonly compatibility: Compatibility;
  /** Who sees prices by distance. */
  readonly nearNet: ClientNearNet;
  readonly interconnects: readonly Interconnect[];
  readonly limits: ClientLimits;
  /** A sandbox token: it makes and sees only tests. */
  readonly isTest: boolean;
  /** The key of its limits: live and test requests count separately. */
  readonly quota: string;
  readonly token: TokenInfo;
}

/** Seconds until a session ends. */
export interface SessionTime {
  /** Without a further request. */
  readonly left: number;
  /** With further requests, too. */
  readonly atMost: number;
}

/** A member of the operator's staff. */
export interface StaffCaller extends TokenBearer {
  readonly kind: 'staff';
  readonly staffId: string;
  readonly role: StaffRole;
  /** After a sign-in; `tokenId` is then the same id. */
  readonly sessionId?: string;
  readonly sessionTime?: SessionTime;
}

export type Caller = ClientCaller | StaffCaller;

/** The caller that the guards have set on the request. */
export function callerOf(request: Request): Caller {
  return request.user as Caller;
}

/** Whether the caller has a token of the sandbox. Staff have no sandbox. */
export function isInSandbox(caller: Caller): boolean {
  return caller.kind === 'client' && caller.isTest;
}

/** Whether the caller may use a route that requires `rule`. */
export function isAllowed(caller: Caller, rule: Scope | 'client'): boolean {
  return rule === 'client' ? caller.kind === 'client' : caller.scopes.has(rule);
}

/** The calling API client, on routes that require a scope of API clients. */
export const Client = createParamDecorator(
  (_: unknown, context: ExecutionContext): ClientCaller => {
    const caller = callerOf(context.switchToHttp().getRequest<Request>());
    if (caller.kind !== 'client') throw new Error('This route is not for API clients.');
    return caller;
  },
);

/** The calling staff member. @throws {Error} on a route for others */
export function staffOf(request: Request): StaffCaller {
  const caller = callerOf(request);
  if (caller.kind !== 'staff') throw new Error('This route is not for staff.');
  return caller;
}

/** The calling staff member, on pages and routes that require a scope of staff. */
export const Staff = createParamDecorator((_: unknown, context: ExecutionContext): StaffCaller =>
  staffOf(context.switchToHttp().getRequest<Request>()),
);
