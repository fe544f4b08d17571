import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NotFound } from '../common/problem.js';
import { type ProblemCode, problemTypes } from '../common/problem-types.js';
import { Public } from '../common/scopes.js';

/** The pages that the `type` of each problem leads to. */
@Controller('problems')
@ApiExcludeController()
export class ProblemsController {
  @Get()
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  listProblems(): string {
    const rows = Object.entries(problemTypes).map(
      ([code, { status, title }]) =>
        `<li><a href="/problems/${code}">${code}</a> (${status}): ${escape(title)}</li>`,
    );
    return page('Problems', `<ul>${rows.join('\n')}</ul>`);
  }

  @Get(':code')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  explainProblem(@Param('code') code: string): string {
    if (!Object.hasOwn(problemTypes, code)) throw new NotFound('There is no problem of this name.');
    const { status, title, cause, cure } = problemTypes[code as ProblemCode];
    return page(
      title,
      `<p><code>${code}</code>, HTTP status ${status}</p>
<h2>Why it happens</h2><p>${sentence(cause)}</p>
<h2>What to do</h2><p>${sentence(cure)}</p>
<p><a href="/problems">All problems</a></p>`,
    );
  }
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A sentence, with what stands between backquotes as code. */
function sentence(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<body>
<main>
<h1>${escape(title)}</h1>
${body}
</main>
</body>
</html>
`;
}
