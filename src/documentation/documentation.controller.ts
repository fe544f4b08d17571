import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NotFound } from '../problems/problem.js';
import { Public } from '../access/scopes.js';
import { DOCUMENTATION_POLICY } from '../http/security-headers.js';
import { DocumentationService, type StaticPage } from './documentation.service.js';
import { FOR_EVER, send } from './send.js';

@Controller('docs')
@ApiExcludeController()
export class DocumentationController {
  constructor(private readonly documentation: DocumentationService) {}

  @Get()
  @Public()
  readDocumentation(@Req() request: Request, @Res() response: Response): void {
    send(request, response, this.documentation.home(), { policy: DOCUMENTATION_POLICY });
  }

  @Get('all')
  @Public()
  readAllPages(@Req() request: Request, @Res() response: Response): void {
    send(request, response, this.documentation.all());
  }

  @Get('assets/:file')
  @Public()
  readAsset(@Param('file') file: string, @Req() request: Request, @Res() response: Response): void {
    send(request, response, required(this.documentation.asset(file)), { cache: FOR_EVER });
  }

  @Get('examples/:folder/:file')
  @Public()
  readExample(
    @Param('folder') folder: string,
    @Param('file') file: string,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    send(request, response, required(this.documentation.example(`${folder}/${file}`)));
  }

  @Get(':page')
  @Public()
  readPage(@Param('page') page: string, @Req() request: Request, @Res() response: Response): void {
    send(request, response, required(this.documentation.page(page)));
  }
}

function required(sent: StaticPage | undefined): StaticPage {
  if (sent) return sent;
  throw new NotFound('There is no page of this name; /docs lists all pages.');
}
