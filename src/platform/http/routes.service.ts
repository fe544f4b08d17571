import { Injectable, RequestMethod } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
} from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { COUNTING, ACCESS_RULE, AccessRule, isSessionRule } from '../access/rules.js';
import { BODY_RULE, type BodyRule, type RoutedBody } from './json-body.js';
import { MethodNotAllowed, NoSuchAddress, NotFound, Problem } from '../problems/problem.js';

export interface DeclaredRoute {
  readonly method: string;
  /** With `:name` for parameters. */
  readonly path: string;
  readonly access: AccessRule;
  /** Undefined for the usual body. */
  readonly body?: BodyRule;
  /** `Controller.handler`, for messages. */
  readonly handler: string;
}

/** What a handler or controller can declare in addition to path, method and access. */
const declaredBehaviour = [
  BODY_RULE,
  COUNTING,
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
];

/** Every route of every controller. @throws where a route lacks an access rule, or the rule of a body no route */
@Injectable()
export class RoutesService {
  readonly routes: readonly DeclaredRoute[];
  readonly bodies: readonly RoutedBody[];
  private readonly patterns: { pattern: RegExp; methods: string[] }[];

  constructor(discovery: DiscoveryService, scanner: MetadataScanner) {
    this.routes = discovery.getControllers().flatMap(({ metatype, instance }) => {
      if (!metatype || !instance) return [];
      const prototype = Object.getPrototypeOf(instance) as object;
      return scanner
        .getAllMethodNames(prototype)
        .flatMap((name) => routesOf(metatype as object & { name: string }, prototype, name));
    });
    this.bodies = this.routes.flatMap((route) => {
      const { method, path, body: rule } = route;
      if (rule) refuseAmbiguous(route, this.routes);
      return rule ? { method, pattern: patternOf(path), rule } : [];
    });
    const byPath = new Map<string, string[]>();
    for (const { path, method } of this.routes) {
      byPath.set(path, [...(byPath.get(path) ?? []), method]);
    }
    this.patterns = [...byPath].map(([path, methods]) => ({
      pattern: patternOf(path),
      methods: [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'].sort(),
    }));
  }

  /**
   * The route of a handler that code may answer without Nest's pipeline.
   * @throws {Error} where the handler or its controller declares more than path, method and access
   */
  plainRoute<C extends object>(controller: new (...parameters: never[]) => C, handler: keyof C) {
    const label = `${controller.name}.${String(handler)}`;
    const [route, ...others] = this.routes.filter((one) => one.handler === label);
    if (!route || others.length > 0) throw new Error(`${label} is not exactly one route.`);
    const prototype = controller.prototype as Readonly<Record<keyof C, object>>;
    const targets = [controller, prototype[handler]];
    const more = declaredBehaviour.filter((key) =>
      targets.some((target) => Reflect.getMetadata(key, target) !== undefined),
    );
    if (more.length === 0) return route;
    throw new Error(`${label} is answered without the pipeline, but declares ${more.join(', ')}.`);
  }

  /** Adds a page that no controller serves. */
  addPage(pattern: RegExp): void {
    this.patterns.push({ pattern, methods: ['GET', 'HEAD', 'OPTIONS'] });
  }

  /** The methods of a path, including HEAD and OPTIONS; empty for an unknown path. */
  methodsAt(path: string): string[] {
    return this.patterns.find(({ pattern }) => pattern.test(path))?.methods ?? [];
  }

  problemAt(path: string): Problem {
    const methods = this.methodsAt(path);
    if (methods.length > 0) return new MethodNotAllowed(methods);
    return path.startsWith('/staff') ? new NotFound() : new NoSuchAddress();
  }
}

function routesOf(
  controller: object & { name: string },
  prototype: object,
  name: string,
): DeclaredRoute[] {
  const handler = (prototype as Record<string, unknown>)[name] as object;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  const body = Reflect.getMetadata(BODY_RULE, handler) as BodyRule | undefined;
  const label = `${controller.name}.${name}`;
  if (body && (method === undefined || method === RequestMethod.GET)) {
    throw new Error(`${label} has @Takes, but its route reads no body.`);
  }
  if (method === undefined) return [];
  const access = Reflect.getMetadata(ACCESS_RULE, handler) as AccessRule | undefined;
  if (access === undefined) {
    throw new Error(`${label} needs @Requires(scope), @StaffPages(path, role) or @Public().`);
  }
  const routes = pathsOf(controller).flatMap((prefix) =>
    pathsOf(handler).map((path) => ({
      method: RequestMethod[method],
      path: `/${[prefix, path].flatMap((part) => part.split('/').filter(Boolean)).join('/')}`,
      access,
      body,
      handler: label,
    })),
  );
  // SessionGuard refuses forms from other sites only under /staff.
  if (isSessionRule(access) && !routes.every(({ path }) => /^\/staff(?:\/|$)/.test(path))) {
    throw new Error(`${label} is a page for staff, so it must be under /staff.`);
  }
  return routes;
}

/** The body is read before Express chooses the handler, so no other one may get the same request. */
function refuseAmbiguous(route: DeclaredRoute, routes: readonly DeclaredRoute[]): void {
  const parts = route.path.split('/');
  const rival = routes.find(({ method, path, handler }) => {
    const others = path.split('/');
    return (
      handler !== route.handler &&
      method === route.method &&
      others.length === parts.length &&
      others.every((part, i) => part === parts[i] || `${part}${parts[i]!}`.includes(':'))
    );
  });
  if (!rival) return;
  throw new Error(`${route.handler} has @Takes, but ${rival.handler} may get its requests.`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[A-Za-z]+/g, '[^/]+')}/?$`);
}

function pathsOf(target: object): string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
  return typeof path === 'string' ? [path] : (path ?? ['']);
}
