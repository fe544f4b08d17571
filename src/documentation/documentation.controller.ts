import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CountedByAddress, Public } from '../platform/access/rules.js';
import { NotFound, NoSuchAddress } from '../platform/problems/problem.js';
import { DocumentationService, SearchesService } from './documentation.service.js';
import { SeeOther } from '../platform/http/written.js';

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

/** The documentation, and the pages that the `type` of each problem links to. */
@Controller()
@ApiExcludeController()
export class DocumentationController {
  constructor(
    private readonly documentation: DocumentationService,
    private readonly searches: SearchesService,
  ) {}

  @Get('docs/search')
  @Public()
  @CountedByAddress()
  async search(
    @Query('q') query: unknown,
    @Query('in') audience: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const text = typeof query === 'string' ? query : '';
    const page = await this.searches.find(text, audience === 'staff' ? 'staff' : 'clients');
    await page.send(request, response);
  }

  /** The forms to try an operation are with the operation. */
  @Get('docs/try')
  @Public()
  redirectToReference(): SeeOther {
    return new SeeOther('/docs/reference');
  }

  @Get([
    'docs',
    'docs/assets/:file',
    'docs/examples/:folder/:file',
    'docs/examples/:file',
    'docs/packages/:file',
    'docs/reference/:group',
    'docs/:page',
    'problems',
    'llms.txt',
  ])
  @Public()
  async readDocumentation(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { path } = request.route as { readonly path: string };
    const address = path.replaceAll(/:(\w+)/g, (_, name: string) => request.params[name] as string);
    const page = await this.documentation.find(address);
    if (!page) throw new NotFound('There is no page of this name; /docs lists all pages.');
    await page.send(request, response);
  }

  /** Answers a program with JSON. */
  @Get('problems/:code')
  @Public()
  async explainProblem(
    @Param('code') code: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const isPage = request.accepts(['text/html', 'application/json']) !== 'application/json';
    const page = await this.documentation.find(`${isPage ? '' : 'JSON of '}/problems/${code}`);
    if (!page) throw new NotFound('There is no problem of this name.');
    response.setHeader('Vary', 'Accept');
    await page.send(request, response);
  }
}
