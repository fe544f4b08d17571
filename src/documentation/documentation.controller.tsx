import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CountedByAddress, Public } from '../platform/access/rules.js';
import { NotFound, NoSuchAddress } from '../platform/problems/problem.js';
import { MISSING } from './documentation-pages.js';
import { DocumentationService, SearchesService } from './documentation.service.js';
import { SeeOther } from '../platform/http/written.js';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { StaffCaller } from '../platform/access/caller.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import { Icon } from '../platform/ui/icons.js';
import { Layout } from '../platform/ui/layout.js';
import { page } from '../platform/ui/render.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import type { HelpText } from './help-texts.js';

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
    if (page) return page.send(request, response);
    await this.sendMissing(
      request,
      response,
      'There is no page of this name; /docs lists all pages.',
    );
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
    if (!page) return this.sendMissing(request, response, 'There is no problem of this name.');
    response.setHeader('Vary', 'Accept');
    await page.send(request, response);
  }

  /** Also what is below no page. It comes last: a route before it may have the address. */
  @Get('docs/*path')
  @Public()
  reportMissing(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.sendMissing(request, response, 'There is nothing here; /docs lists all pages.');
  }

  /** A page with the search for a browser. @throws {NotFound} for a program */
  private async sendMissing(request: Request, response: Response, detail: string): Promise<void> {
    response.vary('Accept');
    const isForBrowser = request.accepts(['application/json', 'text/html']) === 'text/html';
    const page = isForBrowser ? await this.documentation.find(MISSING) : undefined;
    if (!page) throw new NotFound(detail);
    response.status(404);
    await page.send(request, response);
  }
}

interface HelpPageProps {
  readonly viewer: StaffCaller;
  readonly text: HelpText;
  /** Missing on the page of one topic. */
  readonly query?: string;
}

function HelpPage({ viewer, text, query }: HelpPageProps) {
  return (
    <Layout title={text.title} viewer={viewer}>
      <div class="help-head">
        <form class="search" role="search" aria-label="Help" action="/staff/help">
          <label class="unseen" for="help-search">
            Search the help
          </label>
          <input
            id="help-search"
            type="search"
            name="q"
            maxLength={100}
            value={query}
            placeholder="Search the help"
            autocomplete="off"
          />
          <button type="submit" aria-label="Search the help">
            <Icon name="search" />
          </button>
        </form>
        {query !== '' && <a href="/staff/help">All topics</a>}
      </div>
      <article class="help" dangerouslySetInnerHTML={{ __html: text.html }} />
    </Layout>
  );
}

const pictures = new URL('../../../docs/pictures/', import.meta.url);
const pictureNames = new Set(globSync('*.webp', { cwd: pictures }));

@StaffPages('staff/help', 'agent')
export class HelpController {
  constructor(private readonly documentation: DocumentationService) {}

  @Get()
  async show(@Visited() { viewer }: Visit, @Query('q') asked?: unknown) {
    const query = typeof asked === 'string' ? asked.trim() : '';
    const text = await this.documentation.help({ query, role: viewer.role });
    return page(<HelpPage viewer={viewer} text={text!} query={query} />);
  }

  @Get('pictures/:file')
  async sendPicture(
    @Param('file') file: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!pictureNames.has(file)) throw new NotFound('There is no such picture.');
    const picture = await readFile(new URL(file, pictures));
    response.setHeader('Content-Type', 'image/webp');
    response.setHeader('Content-Length', picture.length);
    response.setHeader('Cache-Control', 'private, max-age=3600');
    response.end(request.method === 'HEAD' ? undefined : picture);
  }

  @Get(':topic')
  async showTopic(@Visited() { viewer }: Visit, @Param('topic') topic: string) {
    const text = await this.documentation.help({ topic, role: viewer.role });
    if (!text) throw new NotFound('There is no help page of this name.');
    return page(<HelpPage viewer={viewer} text={text} />);
  }
}
