import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Client, type ClientCaller } from '../access/caller.js';
import { Requires } from '../access/scopes.js';
import { Described } from '../http/described.js';
import { Me } from './me.dto.js';
import { MeService } from './me.service.js';

@Controller('product-availability/me')
@Described('Self-service', 'For API clients: what their token is, and what is left of its limits.')
export class MeController {
  constructor(private readonly me: MeService) {}

  /**
   * Who am I?
   *
   * @remarks What the service knows of the token: whose it is, what it may do and for how long, and
   * what is left of its limits. Asking takes nothing from them.
   */
  @Get()
  @Requires('client', { counts: 'nothing' })
  async readMe(
    @Client() client: ClientCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    const { me, headers } = await this.me.read(client);
    response.set(headers);
    return me;
  }
}
