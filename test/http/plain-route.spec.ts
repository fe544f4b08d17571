import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import 'reflect-metadata';
import { Requires } from '../../src/platform/access/rules.js';
import { Takes } from '../../src/platform/http/json-body.js';
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

function routesOf(...types: readonly (new () => object)[]): RoutesService {
  const controllers = types.map((metatype) => ({ metatype, instance: new metatype() }));
  const discovery = { getControllers: () => controllers } as unknown as DiscoveryService;
  return new RoutesService(discovery, new MetadataScanner());
}
const table = routesOf(ThingsController, GuardedController);

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

describe('the rule of a body', () => {
  const rule = { size: 64 * 1_024 };

  @Controller('lists')
  class ListsController {
    @Post(':id/items')
    @Requires('orders:write')
    @Takes(rule)
    addItems(): void {}

    @Post(':id')
    @Requires('orders:write')
    add(): void {}
  }

  it('is found by the method and address of its handler', () => {
    const { bodies } = routesOf(ListsController);
    const ruleAt = (method: string, path: string) =>
      bodies.find((one) => one.method === method && one.pattern.test(path))?.rule;
    const items = '/lists/7/items';
    expect([ruleAt('POST', items), ruleAt('POST', `${items}/`)]).toEqual([rule, rule]);
    expect([ruleAt('PUT', items), ruleAt('POST', '/lists/7')]).toEqual([undefined, undefined]);
  });

  @Controller('lists')
  class ReadController {
    @Get()
    @Requires('orders:read')
    @Takes(rule)
    handler(): void {}
  }

  @Controller('lists')
  class HelperController {
    @Takes(rule)
    handler(): void {}
  }

  it.each([ReadController, HelperController])(
    'stops the start on a handler that reads no body: %p',
    (controller) => {
      expect(() => routesOf(controller)).toThrow(`${controller.name}.handler has @Takes`);
    },
  );

  it('stops the start where another handler may get the same request', () => {
    @Controller('lists/:id')
    class RivalController {
      @Post(':part')
      @Requires('orders:write')
      addPart(): void {}
    }
    expect(() => routesOf(ListsController, RivalController)).toThrow(
      'ListsController.addItems has @Takes, but RivalController.addPart may get its requests.',
    );
  });
});
