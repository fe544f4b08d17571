import type { DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { BearerGuard } from './clients/bearer.guard.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { OpsModule } from './ops/ops.module.js';
import { PagesModule } from './pages.module.js';
import type { Config } from './platform/config/config.js';
import { ProblemFilter } from './platform/http/problem.filter.js';
import { RoutesService } from './platform/http/routes.service.js';
import { QueryGuard } from './platform/http/valid.js';
import { RateLimitsGuard } from './platform/limits/rate-limits.guard.js';
import { errorPages } from './platform/ui/error-page.js';
import { PlaceCounter } from './platform/ui/navigation.js';
import { SessionGuard } from './staff/sessions/session.guard.js';

/** What the HTTP server adds to `AppModule`. Commands do not load it: it is a quarter of the files. */
export function serving(config: Config): Required<Pick<DynamicModule, 'imports' | 'providers'>> {
  return {
    imports: [
      DiscoveryModule,
      PagesModule,
      OpsModule,
      DocumentationModule,
      ...(config.mcp ? [McpModule] : []),
    ],
    providers: [
      RoutesService,
      { provide: APP_GUARD, useExisting: BearerGuard },
      { provide: APP_GUARD, useExisting: SessionGuard },
      { provide: APP_GUARD, useExisting: RateLimitsGuard },
      { provide: APP_GUARD, useClass: QueryGuard },
      { provide: APP_FILTER, useExisting: ProblemFilter },
      {
        provide: ProblemFilter,
        useFactory: (routes: RoutesService, sessions: SessionGuard, counter: PlaceCounter) => {
          const pages = errorPages((request) => sessions.viewerOf(request), counter);
          return new ProblemFilter(config.publicUrl, routes, pages);
        },
        inject: [RoutesService, SessionGuard, PlaceCounter],
      },
    ],
  };
}
