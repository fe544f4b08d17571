import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NotFound } from '../problems/problem.js';
import { Public } from '../access/rules.js';
import { type Asset, assets } from './assets.js';

/** Style sheets, scripts and pictures of the pages. Each name holds a hash of its content. */
@Controller('staff/assets')
@ApiExcludeController()
export class AssetsController {
  @Get(':name')
  @Public()
  async sendAsset(
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asset = assets().find(name);
    if (!asset) throw new NotFound('There is no such file.');
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    await sendAsset(asset, request, response);
  }
}

/** In an encoding that the browser accepts. */
export async function sendAsset(asset: Asset, request: Request, response: Response): Promise<void> {
  const encoding = request.acceptsEncodings('br', 'gzip', 'identity');
  const compressed = await asset.compressedAs(encoding);
  const bytes = compressed ?? asset.bytes;
  if (compressed) response.setHeader('Content-Encoding', encoding as string);
  response.setHeader('Content-Type', asset.type);
  response.setHeader('Content-Length', bytes.length);
  response.setHeader('Vary', 'Accept-Encoding');
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
