/** The operator's colour and logo on the pages. */
import { readFileSync, statSync } from 'node:fs';
import type { SettingKind } from './setting.js';

/** The backgrounds of the pages, as in their style sheets. */
export const backgrounds = { light: '#ffffff', dark: '#0f1115' } as const;
/** Of text (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5;
/** The part of the colour in the background of the current place. */
const SOFT = 0.1;

/** The accent colour in each scheme: links, primary buttons, the current place. */
export interface BrandColour {
  readonly light: string;
  readonly dark: string;
}

export interface BrandLogo {
  /** The media type. */
  readonly type: string;
  /** With the dot. */
  readonly extension: string;
  readonly bytes: Buffer;
}

/** Bytes: every first view of a page loads it. */
const LARGEST_LOGO = 32_768;

type Rgb = readonly [red: number, green: number, blue: number];

function rgbOf(colour: string): Rgb {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return [red!, green!, blue!];
}

/** `part` of `a`, and the rest of `b`. */
function mix(a: string, b: string, part: number): string {
  const [one, other] = [rgbOf(a), rgbOf(b)];
  const mixed = one.map((value, i) => Math.round(value * part + other[i]! * (1 - part)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const [red, green, blue] = rgbOf(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** The contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Of the colour as a text on a background tinted with it, which is less than on the background. */
function contrastOn(colour: string, background: string): number {
  return contrast(colour, mix(colour, background, SOFT));
}

/** The colour, made lighter or darker until it can be read; unchanged if it can be. */
function readable(colour: string, scheme: keyof BrandColour): string {
  const towards = scheme === 'light' ? '#000000' : '#ffffff';
  for (let part = 1; part > 0; part -= 0.05) {
    const mixed = mix(colour, towards, part);
    if (contrastOn(mixed, backgrounds[scheme]) >= LEAST_CONTRAST) return mixed;
  }
  return towards;
}

/** Undefined where it is not one colour or two. */
function coloursOf(text: string): BrandColour | undefined {
  const [light = '', dark = readable(light, 'dark'), ...more] = text.toLowerCase().split(/ *, */);
  const areColours = [light, dark].every((one) => /^#[0-9a-f]{6}$/.test(one));
  return areColours && more.length === 0 ? { light, dark } : undefined;
}

/** Why a colour cannot be read on its pages. */
function colourFault({ light, dark }: BrandColour): string | undefined {
  for (const [scheme, colour] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    const better = readable(colour, scheme);
    if (better === colour) continue;
    const reached = contrastOn(colour, backgrounds[scheme]).toFixed(1);
    return `${colour} on ${scheme} pages has a contrast of ${reached}, and needs ${LEAST_CONTRAST}: use ${better} instead`;
  }
  return undefined;
}

/** The style sheet that replaces the accent colour. */
export function accentsOf({ light, dark }: BrandColour): string {
  const soft = (colour: string, background: string) => mix(colour, background, SOFT);
  const [onLight, onDark] = [soft(light, backgrounds.light), soft(dark, backgrounds.dark)];
  return `:root { --accent: light-dark(${light}, ${dark}); --accent-soft: light-dark(${onLight}, ${onDark}); }\n`;
}

export const brandColour: SettingKind<BrandColour> = {
  allowed:
    'a colour such as `#0b57d0`, or one for light and one for dark pages, such as `#0b57d0,#8ab4f8`',
  parse(text) {
    const colours = coloursOf(text);
    return colours && colourFault(colours) === undefined ? colours : undefined;
  },
  fault(text) {
    const colours = coloursOf(text);
    return colours && colourFault(colours);
  },
};

/** @returns the logo, or why the file is none */
function readLogo(file: string): BrandLogo | string {
  let bytes: Buffer;
  try {
    if (statSync(file).size > LARGEST_LOGO) return 'this file is larger than 32 kB';
    bytes = readFileSync(file);
  } catch (error) {
    return `this file cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
  }
  const isPng = bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  if (isPng) return { type: 'image/png', extension: '.png', bytes };
  const isSvg = /^(?:\uFEFF)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg[\s/>]/s.test(
    String(bytes),
  );
  if (isSvg) return { type: 'image/svg+xml', extension: '.svg', bytes };
  return 'this file is not an SVG or PNG picture';
}

/** Read once, at the start. */
export const brandLogo: SettingKind<BrandLogo> = {
  allowed: 'the path of an SVG or PNG file of at most 32 kB',
  parse(file) {
    const logo = readLogo(file);
    return typeof logo === 'string' ? undefined : logo;
  },
  fault(file) {
    const logo = readLogo(file);
    return typeof logo === 'string' ? logo : undefined;
  },
};
