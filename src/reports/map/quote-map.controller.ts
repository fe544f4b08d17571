import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type LineState, stateWords } from '../../quotes/record/quote.js';
import type { QuoteLineView } from '../../quotes/record/quotes.dto.js';
import { StaffQuotesService } from '../../quotes/staff-quotes.service.js';
import { Heavy } from '../../platform/access/rules.js';
import { lowerBound } from '../../platform/kernel/sorted.js';
import { parsePostcode, placeKeyOf, Postcode } from '../../platform/kernel/postcode.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { sectorPlaces } from '../sector-places.js';
import { frameAround, project } from './map-frame.js';
import type { GridPoint } from './map-places.js';
import { outline } from './map-scene.js';

/** A picture of the page of a quote: where its sites are. */
@StaffPages('staff/quotes', 'agent')
export class QuoteMapController {
  constructor(private readonly quotes: StaffQuotesService) {}

  @Get(':quote/map.svg')
  @Heavy()
  async drawQuote(@Param('quote') named: string, @Res() response: Response): Promise<void> {
    const { lines } = await this.quotes.find(named);
    response.type('image/svg+xml').end(quoteMap(lines));
  }
}

/** Those that need an action are drawn last, above the others. */
const colours: Readonly<Partial<Record<LineState, string>>> = {
  ordered: '#0b7a4b',
  priced: '#1f6feb',
  offered: '#8250df',
  enquired: '#b45309',
  notAvailable: '#6e7781',
  unableToProvide: '#c9184a',
};

const SIZE = 420;
/** The least width on the ground, in units of 100 m. */
const LEAST = 400;

/** In the dark. Read on its own, where its policy allows no styles, the picture is light. */
const DARK =
  '@media(prefers-color-scheme:dark){svg{fill:#e7e9ee}.sea{fill:#0b1017}.land{fill:#1a2029;stroke:#3d4654}}';

/** One dot for each sector and state. */
export function quoteMap(lines: readonly Pick<QuoteLineView, 'postcode' | 'state'>[]): string {
  const dots = lines.flatMap(({ postcode, state }) => {
    const at = colours[state] === undefined ? null : placeOf(postcode);
    return at ? [{ at, state, key: `${state} ${at.x} ${at.y}` }] : [];
  });
  const frame = frameAround(
    dots.length === 0 ? [{ x: 3_200, y: 4_500 }] : dots.map(({ at }) => at),
    SIZE,
    dots.length === 0 ? 12_000 : LEAST,
    1.2,
  );
  const land = outline().map((shape) => {
    const points = shape.map((one) => project(frame, one));
    return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z`;
  });
  const groups = [...Map.groupBy(dots, ({ key }) => key).values()];
  const states = Object.keys(colours) as LineState[];
  const drawn = states.flatMap((state) =>
    groups
      .filter(([first]) => first!.state === state)
      .map((group) => {
        const { x, y } = project(frame, group[0]!.at);
        const radius = Math.min(14, 4 + Math.sqrt(group.length));
        const place = `cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}"`;
        return `<circle ${place} fill="${colours[state]!}" stroke="#fff"/>`;
      }),
  );
  const present = states.filter((state) => dots.some((dot) => dot.state === state));
  const legend = present.map((state, i) => {
    const y = 18 + i * 18;
    return `<circle cx="14" cy="${y - 4}" r="5" fill="${colours[state]!}"/><text x="26" y="${y}">${stateWords[state]}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" font-family="sans-serif" font-size="12" fill="#1f2328">`,
    `<style>${DARK}</style>`,
    `<rect class="sea" width="${SIZE}" height="${SIZE}" fill="#eaf1f7"/>`,
    `<path class="land" d="${land.join('')}" fill="#fdfdfc" stroke="#b6c2cd"/>`,
    ...drawn,
    ...legend,
    '</svg>',
  ].join('');
}

/** The middle of the sector; null outside Great Britain. */
function placeOf(text: string): GridPoint | null {
  const postcode = parsePostcode(text);
  if (!(postcode instanceof Postcode)) return null;
  const { keys, eastings, northings } = sectorPlaces();
  const key = placeKeyOf.sector(postcode.packed);
  const row = lowerBound(keys, key);
  return keys[row] === key ? { x: eastings[row]!, y: northings[row]! } : null;
}
