import { expect, it } from '@jest/globals';
import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import 'reflect-metadata';
import { Requires } from '../../src/platform/access/rules.js';
import { RoutesService } from '../../src/platform/http/routes.service.js';

const guard = { canActivate: () => true };

@Controller('things')
class ThingsController {
  @Get(':id')
  @Requires('availability:read')
  plain(): void {}

  @Get('guarded')
  @Requires('availability:read')
  @UseGuards(guard)
  guarded(): void {}

  @Post('counted')
  @Requires('availability:read', { counts: 'postcodes' })
  counted(): void {}

  notARoute(): void {}
}

@Controller('guarded')
@UseGuards(guard)
class GuardedController {
  @Get()
  @Requires('availability:read')
  plain(): void {}
}

const controllers = [ThingsController, GuardedController].map((metatype) => ({
  metatype,
  instance: new metatype(),
}));
const discovery = { getControllers: () => controllers } as unknown as DiscoveryService;
const table = new RoutesService(discovery, new MetadataScanner());

it('accepts a route that declares only path, method and access as a plain route', () => {
  expect(table.plainRoute(ThingsController, 'plain')).toMatchObject({
    method: 'GET',
    path: '/things/:id',
    access: 'availability:read',
  });
});

it.each(['guarded', 'counted', 'notARoute'] as const)(
  'refuses a handler that declares more, or is not a route, as a plain route: %s',
  (handler) => {
    expect(() => table.plainRoute(ThingsController, handler)).toThrow(handler);
  },
);

it('refuses a handler of a guarded controller as a plain route', () => {
  expect(() => table.plainRoute(GuardedController, 'plain')).toThrow('__guards__');
});
