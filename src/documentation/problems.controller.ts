import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NotFound } from '../problems/problem.js';
import { Public } from '../access/scopes.js';
import { DocumentationService } from './documentation.service.js';
import { isProblemCode } from './problem-text.js';
import { send } from './send.js';

/** The pages that the `type` of each problem leads to; for a program the same as JSON. */
@Controller('problems')
@ApiExcludeController()
export class ProblemsController {
  constructor(private readonly documentation: DocumentationService) {}

  @Get()
  @Public()
  listProblems(@Req() request: Request, @Res() response: Response): void {
    send(request, response, this.documentation.problems());
  }

  @Get(':code')
  @Public()
  explainProblem(
    @Param('code') code: string,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    if (!isProblemCode(code)) throw new NotFound('There is no problem of this name.');
    const wanted = request.accepts(['text/html', 'application/json']);
    response.setHeader('Vary', 'Accept');
    send(
      request,
      response,
      wanted === 'application/json'
        ? this.documentation.problemAsJson(code)
        : this.documentation.problem(code),
    );
  }
}
