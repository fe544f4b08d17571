import { Controller, Get, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../platform/access/scopes.js';
import { SeeOther } from '../platform/http/written.js';
import { NoSuchAddress } from '../platform/problems/problem.js';

/** `/`: redirects a browser to the documentation. */
@Controller()
@ApiExcludeController()
export class HomeController {
  @Get()
  @Public()
  redirectBrowser(@Req() request: Request): SeeOther {
    if (request.accepts(['application/json', 'text/html']) === 'text/html') {
      return new SeeOther('/docs');
    }
    throw new NoSuchAddress();
  }
}
