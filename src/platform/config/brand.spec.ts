import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accentsOf, backgrounds, contrast } from './brand.js';
import { type Config, ConfigError, readConfig } from './config.js';

function faultOf(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

const coloursOf = (text: string): Config['brandColour'] =>
  readConfig({ BRAND_COLOUR: text }).brandColour;

/** The outcome of `use` with a file that holds these bytes. */
function withLogo<T>(bytes: Buffer | string, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'logo-'));
  try {
    const path = join(folder, 'logo');
    writeFileSync(path, bytes);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the brand', () => {
  it('takes a colour for light pages, and lightens it for dark ones', () => {
    const { light, dark } = coloursOf('#0B57D0')!;
    expect(light).toBe('#0b57d0');
    expect(contrast(dark, backgrounds.dark)).toBeGreaterThan(4.5);
    expect(contrast(light, dark)).toBeGreaterThan(1.2);
  });

  it('takes a colour for each scheme', () => {
    expect(coloursOf('#7a1fa2, #d9a6f0')).toEqual({ light: '#7a1fa2', dark: '#d9a6f0' });
  });

  it.each([
    ['#ffcc00', /"#ffcc00", but #ffcc00 on light pages has a contrast of 1\.\d, and needs 4\.5/],
    ['#0b57d0,#0b2a60', /but #0b2a60 on dark pages has a contrast of 1\.\d, and needs 4\.5/],
    ['blue', /BRAND_COLOUR is "blue", but must be a colour such as `#0b57d0`/],
    ['#0b57d0,#8ab4f8,#ffffff', /must be a colour such as/],
  ])('refuses %s with the reason', (text, fault) => {
    expect(faultOf({ BRAND_COLOUR: text })).toMatch(fault);
  });

  it('suggests a colour that it takes', () => {
    const [, better = ''] = /use (#[0-9a-f]{6}) instead/.exec(
      faultOf({ BRAND_COLOUR: '#ffcc00' }),
    )!;
    expect(coloursOf(better)?.light).toBe(better);
  });

  it('knows the backgrounds of the style sheet, and replaces its accent colour', () => {
    const sheet = readFileSync('src/platform/ui/assets/10-base.css', 'utf8');
    expect(sheet).toContain(`--background: light-dark(${backgrounds.light}, ${backgrounds.dark});`);
    expect(accentsOf({ light: '#7a1fa2', dark: '#d9a6f0' })).toMatch(
      /^:root \{ --accent: light-dark\(#7a1fa2, #d9a6f0\); --accent-soft: light-dark\(#\w{6}, #\w{6}\); \}\n$/,
    );
  });

  it.each([
    ['<svg xmlns="http://www.w3.org/2000/svg"></svg>', '.svg', 'image/svg+xml'],
    ['<?xml version="1.0"?>\n<!-- made -->\n<svg/>', '.svg', 'image/svg+xml'],
    [Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1'), '.png', 'image/png'],
  ])('reads the type of a logo from its content', (bytes, extension, type) => {
    const logo = withLogo(bytes, (path) => readConfig({ BRAND_LOGO: path }).brandLogo);
    expect(logo).toEqual({ extension, type, bytes: Buffer.from(bytes) });
  });

  it.each([
    ['a page', '<html><svg></svg></html>', 'is not an SVG or PNG picture'],
    ['a large file', Buffer.alloc(32_769), 'is larger than 32 kB'],
  ])('refuses %s as a logo', (_name, bytes, fault) => {
    expect(withLogo(bytes, (path) => faultOf({ BRAND_LOGO: path }))).toContain(
      `but this file ${fault}`,
    );
  });

  it('refuses a logo that is missing', () => {
    expect(faultOf({ BRAND_LOGO: '/no/such/logo.svg' })).toBe(
      'BRAND_LOGO is "/no/such/logo.svg", but this file cannot be read (ENOENT).',
    );
  });
});
