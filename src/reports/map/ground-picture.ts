import { createHash } from 'node:crypto';
import { Asset } from '../../platform/ui/assets.js';
import { countryGround } from './map-scene.js';
import type { MapPlace } from './map-places.js';

/** The coast and the sectors of the country: a third of the page of the map, the same until the coverage changes. */
export interface GroundPicture {
  readonly picture: Asset;
  /** Of its content. */
  readonly hash: string;
}

/** By the coverage that they show. */
const known = new WeakMap<Uint16Array, GroundPicture>();

/** @param sectors those of the country, with this coverage; asked for if the picture is not known */
export async function groundPicture(
  covered: Uint16Array,
  sectors: () => Promise<readonly MapPlace[]>,
): Promise<GroundPicture> {
  const made = known.get(covered) ?? draw(await sectors());
  known.set(covered, made);
  return made;
}

/** Without colours: the map that uses the shapes has them, for each colour scheme. */
function draw(sectors: readonly MapPlace[]): GroundPicture {
  const shapes = Object.entries(countryGround(sectors)).map(
    ([name, path]) => `<path id="${name}" d="${path}"/>`,
  );
  const bytes = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${shapes.join('')}</svg>`);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  return { picture: new Asset({ type: 'image/svg+xml' }, bytes), hash };
}
