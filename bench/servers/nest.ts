import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answers, headerPairs, listening } from './given.js';

interface Answer {
  setHeader?(name: string, value: string): void;
  header(name: string, value: string): void;
}

@Controller('product-availability')
class CheckController {
  @Get('postcode/:postcode')
  check(@Req() request: { url: string }, @Res({ passthrough: true }) response: Answer) {
    for (const [name, value] of headerPairs) response.header(name, value);
    return answers.get(request.url);
  }
}

@Module({ controllers: [CheckController] })
class BareModule {}

/** Nest with its defaults, on Express or Fastify. */
const adapter =
  process.env.BENCH_PLATFORM === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
const app = await NestFactory.create(BareModule, adapter, { logger: false });
await app.listen(0, '127.0.0.1');
listening(((app.getHttpServer() as Server).address() as AddressInfo).port);
