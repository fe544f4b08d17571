import { startOfLondonDay } from '../../platform/kernel/working-hours.js';
import { placeKeyOf } from '../../platform/kernel/postcode.js';
import { FIRST_ZONE_NUMBER, mainZone, NO_ROW } from '../content/coverage-codec.js';
import { BuildBands } from '../content/band-fields.js';
import { STANDARD } from '../content/cells.js';
import { Catalogue, type CatalogueContent } from '../content/catalogue.js';
import { indexParts, PointColumns } from '../../near-net/network-index.js';
import { movedPoint, type PointOffset } from '../../near-net/moved-points.js';
import { packNearness, BuildNetwork, type NetworkParts } from '../../near-net/network.js';
import type { Positions } from '../../near-net/positions.js';

/**
 * What places can be built from: the points of the content, or else the covered postcodes of zones on the network.
 * @param offset how far prices move the points of the content; null: not at all. Covered postcodes are no secret
 */
export function networkOf(
  content: CatalogueContent,
  positions: Positions,
  factor: number,
  offset: PointOffset | null = null,
): NetworkParts {
  const { coverage, networkPoints, zones } = content;
  const columns = new PointColumns();
  const moved = offset && networkPoints.length > 0 ? new PointColumns() : null;
  if (networkPoints.length > 0) {
    const numbers = new Map(
      coverage.zones.map((zone, i) => [mainZone(zone), FIRST_ZONE_NUMBER + i]),
    );
    for (const [row, point] of networkPoints.entries()) {
      const zoneNumber = numbers.get(point.zone)!;
      columns.add(point, zoneNumber, row);
      moved?.add(movedPoint(point, offset!), zoneNumber, row);
    }
  } else {
    const onNet = new Set(
      zones.flatMap((row) => (row.network?.startsWith('onNet') ? row.zone : [])),
    );
    const isNetwork = coverage.zones.map((zone) => onNet.has(mainZone(zone)));
    for (const [row, packed] of positions.keys.entries()) {
      const zoneNumber = coverage.zoneNumberAt(packed);
      if (isNetwork[zoneNumber - FIRST_ZONE_NUMBER]) {
        columns.add(positions.at(row), zoneNumber, row);
      }
    }
  }
  const { reach } = new BuildBands(content.buildBands);
  const { keys, eastings, northings } = positions;
  return {
    index: indexParts(columns),
    moved: moved && { index: indexParts(moved), metres: offset!.metres },
    positions: { keys, eastings, northings },
    factor,
    reach,
  };
}

/**
 * The postcodes that get a price by distance on the standard list, by their sector.
 * @param offset see `networkOf`
 * @param day in London; without it, all postcodes in a band, also where nothing is sold
 */
export function reachBySector(
  content: CatalogueContent,
  positions: Positions,
  factor: number,
  offset: PointOffset | null,
  day?: string,
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  if (content.buildBands.length === 0) return counts;
  const network = new BuildNetwork(networkOf(content, positions, factor, offset));
  const bands = new BuildBands(content.buildBands);
  const catalogue = day === undefined ? null : new Catalogue(0, content);
  const at = day === undefined ? 0 : startOfLondonDay(day).getTime();
  const sells = catalogue && day !== undefined ? catalogue.sellsOn(day) : () => true;
  for (const [row, packed] of positions.keys.entries()) {
    if (content.coverage.zoneNumberAt(packed) !== NO_ROW) continue;
    const point = network.nearest(positions.at(row), sells);
    if (!point) continue;
    const zone = mainZone(content.coverage.zoneName(point.zoneNumber)!);
    if (bands.at(zone, point.distanceMetres).length === 0) continue;
    // The catalogue keeps what it sells by zone, band and day.
    const place = { packed, uprn: null, near: packNearness(point) };
    if (catalogue?.offersAt(place, STANDARD, at).count === 0) continue;
    const sector = placeKeyOf.sector(packed);
    counts.set(sector, (counts.get(sector) ?? 0) + 1);
  }
  return counts;
}
