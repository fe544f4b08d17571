import { Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { StaffCaller } from '../../platform/access/caller.js';
import { NotFound } from '../../platform/problems/problem.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { helpAddress, helpTexts, type HelpLink, type HelpText } from './help-texts.js';
import { Layout } from '../../platform/ui/layout.js';

interface HelpPageProps {
  readonly viewer: StaffCaller;
  readonly address: string;
  readonly text: HelpText;
  readonly links: readonly HelpLink[];
}

function HelpPage({ viewer, address, text, links }: HelpPageProps) {
  return (
    <Layout title={text.title} viewer={viewer}>
      {links.length > 1 && (
        <nav class="help-links" aria-label="Help">
          <ul>
            {links.map(({ href, title }) => (
              <li>
                <a href={href} aria-current={href === address ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <article class="help" dangerouslySetInnerHTML={{ __html: text.html }} />
    </Layout>
  );
}

function helpPage(name: string, viewer: StaffCaller) {
  const address = helpAddress(name);
  const text = helpTexts().textAt(address, viewer.role);
  if (!text) throw new NotFound('There is no help page of this name.');
  const links = helpTexts().linksFor(viewer.role);
  return page(<HelpPage {...{ viewer, address, text, links }} />);
}

@StaffPages('staff/help', 'agent')
export class HelpController {
  @Get()
  showStaffManual(@Visited() { viewer }: Visit) {
    return helpPage('staff', viewer);
  }

  @Get('pictures/:file')
  async sendPicture(
    @Param('file') file: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const picture = await helpTexts().picture(file);
    if (!picture) throw new NotFound('There is no such picture.');
    response.setHeader('Content-Type', 'image/webp');
    response.setHeader('Content-Length', picture.length);
    response.setHeader('Cache-Control', 'private, max-age=3600');
    response.end(request.method === 'HEAD' ? undefined : picture);
  }
}

@StaffPages('staff/help', 'admin')
export class AdminHelpController {
  @Get(':name')
  showManual(@Visited() { viewer }: Visit, @Param('name') name: string) {
    return helpPage(name, viewer);
  }
}
