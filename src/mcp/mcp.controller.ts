import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { MOST_OF_QUOTE } from '../platform/access/counting.js';
import { Requires } from '../platform/access/rules.js';
import { Config } from '../platform/config/config.js';
import { Takes } from '../platform/http/json-body.js';
import { Problem } from '../platform/problems/problem.js';
import { McpService } from './mcp.service.js';

class OriginRefused extends Problem {
  constructor() {
    super('cross-site-request');
  }
}

/** The door for agents: the Model Context Protocol by streamable HTTP, without sessions. */
@Controller('mcp')
@ApiExcludeController()
export class McpController {
  constructor(
    private readonly mcp: McpService,
    private readonly config: Config,
  ) {}

  /** Each message counts as one check; what a tool calls counts again, as everywhere. */
  @Post()
  @Requires('client', { counts: 'postcodes' })
  @Takes(MOST_OF_QUOTE)
  async receive(@Req() request: Request, @Res() response: Response): Promise<void> {
    refuseForeignOrigin(request, this.config.publicUrl);
    // The request that a tool sends takes the place.
    if (response.inFlight) response.inFlight.running -= 1;
    response.inFlight = undefined;
    const answer = await this.mcp.answer(request);
    response.setHeader('Content-Type', answer.headers.get('content-type') ?? 'application/json');
    response.status(answer.status).end(await answer.text());
  }
}

/** A page of another site, also by DNS rebinding, sends its own origin; programs send none. */
function refuseForeignOrigin({ headers: { origin } }: Request, publicUrl: string): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin) throw new OriginRefused();
}
