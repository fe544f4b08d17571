import { Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Heavy } from '../../platform/access/rules.js';
import { DemandService } from '../demand.service.js';
import { sectorPlaces } from '../sector-places.js';
import { parsePlace, parsePostcode, placeKeyOf, Postcode } from '../../platform/kernel/postcode.js';
import { nextTurn } from '../../platform/kernel/turns.js';
import { NotFound } from '../../platform/problems/problem.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import type { Period } from '../drawing/period.js';
import { type ChosenScope, ReportScopeService } from '../screens/report-scope.service.js';
import { sendCsv, statusOf } from '../screens/report-pages.controller.js';
import { sendAsset } from '../../platform/ui/assets.controller.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { isLayer, type LayerName, mapLayers } from './map-layers.js';
import { exportTable, MapPage, type MapView } from './map-page.js';
import {
  aroundSector,
  groupAreas,
  groupPlaces,
  type MapPlace,
  sectorsOnMap,
} from './map-places.js';
import {
  groundPicture,
  areaScene,
  countryScene,
  districtScene,
  isOnMapOf,
  outline,
} from './map-scene.js';
import { type LineState, stateWords } from '../../quotes/record/line-state.js';
import type { QuoteLineView } from '../../quotes/record/quotes.dto.js';
import { StaffQuotesService } from '../../quotes/staff-quotes.service.js';
import { lowerBound } from '../../platform/kernel/sorted.js';
import { frameAround, type GridPoint, project } from '../../near-net/map-frame.js';

@Heavy()
@StaffPages('staff', 'manager')
export class MapController {
  constructor(
    private readonly demand: DemandService,
    private readonly scope: ReportScopeService,
  ) {}

  @Get('map.csv')
  async exportMap(@Visited() { query }: Visit, @Res() response: Response) {
    const { period } = this.scope.valid(query);
    const layer = this.layerIn(query);
    const sectors = await this.sectors(period, layer);
    const places = query.text('by') === 'sector' ? sectors : await groupAreas(sectors);
    await sendCsv(response, 'demand', exportTable(places, layer));
  }

  @Get('map')
  async showMap(@Visited() { viewer, query }: Visit) {
    const chosen = await this.scope.choose(query);
    const layer = this.layerIn(query);
    const sectors = await this.sectors(chosen.period, layer);
    const places = await groupAreas(sectors);
    const { hash } = await groundPicture(await this.demand.covered(), () =>
      Promise.resolve(sectors),
    );
    await nextTurn();
    const scene = countryScene(places, mapLayers[layer], `/staff/map/ground.svg?v=${hash}`);
    await nextTurn();
    const gaps = gapsIn(sectors);
    await nextTurn();
    const view = { place: null, level: 'area' as const, layer, scene, places, others: [], gaps };
    return this.draw(viewer, chosen, view);
  }

  /** Another version than the one asked for, such as during a publication, is not kept. */
  @Get('map/ground.svg')
  async sendGround(
    @Visited() { query }: Visit,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    const covered = await this.demand.covered();
    const { picture, hash } = await groundPicture(covered, () =>
      sectorsOnMap([], sectorPlaces(), covered),
    );
    if (query.text('v') === hash) {
      response.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
    }
    await sendAsset(picture, request, response);
  }

  @Get('map/:place.csv')
  async exportPlace(
    @Visited() { query }: Visit,
    @Param('place') place: string,
    @Res() response: Response,
  ) {
    const level = levelOf(place);
    const { period } = this.scope.valid(query);
    const layer = this.layerIn(query);
    const sectors = await this.sectors(period, layer, isOnMapOf(place, level));
    const { places } = viewOf(sectors, place, level, layer);
    await sendCsv(response, `demand-${place}`, exportTable(places, layer));
  }

  @Get('map/:place')
  async showPlace(@Visited() { viewer, query }: Visit, @Param('place') place: string) {
    const level = levelOf(place);
    const chosen = await this.scope.choose(query);
    const layer = this.layerIn(query);
    const sectors = await this.sectors(chosen.period, layer, isOnMapOf(place, level));
    await nextTurn();
    const view = viewOf(sectors, place, level, layer);
    await nextTurn();
    return this.draw(viewer, chosen, view);
  }

  private draw(viewer: Visit['viewer'], chosen: ChosenScope, drawn: Omit<MapView, 'hasReach'>) {
    const view = { ...drawn, hasReach: this.demand.hasReach };
    return page(<MapPage viewer={viewer} chosen={chosen} view={view} />, statusOf(chosen));
  }

  private layerIn(query: Form): LayerName {
    const text = query.text('measure');
    return isLayer(text) && (text !== 'reach' || this.demand.hasReach) ? text : 'demand';
  }

  private async sectors(
    period: Period,
    layer: LayerName,
    isShown?: Parameters<typeof sectorsOnMap>[4],
  ): Promise<MapPlace[]> {
    const demand = await this.demand.bySector(period);
    await nextTurn();
    const covered = await this.demand.covered();
    const reached = layer === 'reach' ? await this.demand.reached() : null;
    return sectorsOnMap(demand, sectorPlaces(), covered, reached, isShown);
  }
}

/** @throws {NotFound} unless the place is an area or a district, in canonical form */
function levelOf(text: string): 'area' | 'district' {
  const place = parsePlace(text);
  const isPlace = 'key' in place && place.name === text && !text.includes(' ');
  if (!isPlace) throw new NotFound('There is no postcode area or district with this code.');
  return place.level === 'area' ? 'area' : 'district';
}

function viewOf(
  sectors: readonly MapPlace[],
  place: string,
  kind: 'area' | 'district',
  layer: LayerName,
): Omit<MapView, 'hasReach'> {
  const inPlace = sectors.filter(({ name }) => aroundSector[kind](name) === place);
  if (kind === 'area') {
    const scene = areaScene(sectors, place, mapLayers[layer]);
    const places = groupPlaces(inPlace, 'district');
    return { place, level: 'district', layer, scene, places, others: [], gaps: gapsIn(inPlace) };
  }
  const scene = districtScene(sectors, place, mapLayers[layer]);
  const names = new Set(inPlace.map(({ name }) => name));
  const others = scene?.places.map((one) => one.place).filter(({ name }) => !names.has(name)) ?? [];
  return {
    place,
    level: 'sector',
    layer,
    scene,
    places: inPlace,
    others,
    gaps: gapsIn([...inPlace, ...others]),
  };
}

function gapsIn(sectors: readonly MapPlace[]): MapPlace[] {
  return sectors
    .filter(({ notServed }) => notServed > 0)
    .sort((a, b) => b.notServed - a.notServed || b.checks - a.checks || (a.name < b.name ? -1 : 1));
}

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
