import { printPlace } from '../../platform/kernel/postcode.js';
import type { CatalogueContent } from './catalogue.js';
import { cellOfConstraints } from './zone-fields.js';
import type { Position } from '../../near-net/positions.js';
import type { PremisesKey } from './premises-codec.js';
import { jointNumbers, NO_ROW } from './coverage-codec.js';

/**
 * What changes for a client that asks for premises. The first three change what is sold there. The others
 * leave the zone as it is: premises become listed or unlisted, or get other constraints, another position or name.
 */
export const premisesChangeKinds = [
  'gained',
  'lost',
  'moved',
  'listed',
  'unlisted',
  'constrained',
  'relocated',
  'renamed',
] as const;

export type PremisesChangeKind = (typeof premisesChangeKinds)[number];

/** In a null zone nothing is sold. Of constraints, `from` and `to` are those of the premises themselves. */
export interface PremisesChange {
  readonly uprn: string;
  readonly postcode: string;
  readonly change: PremisesChangeKind;
  readonly from: string | null;
  readonly to: string | null;
}

/** As numbers: there can be a million. By postcode, then UPRN. */
interface PremisesChanges {
  readonly uprns: Float64Array;
  /** Packed postcodes. */
  readonly postcodes: Uint32Array;
  /** Index into `premisesChangeKinds`. */
  readonly kinds: Uint8Array;
  /** Index into `zones`, plus one; 0 if nothing is sold. Of constraints, see `constraintBits`. */
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly zones: readonly string[];
}

export interface PremisesDiff {
  readonly counts: Readonly<Record<PremisesChangeKind, number>>;
  /** Listed premises where something was sold before. */
  readonly covered: number;
  /** Of these, the ones where nothing is sold any more. Premises that were not listed can be `lost`, too. */
  readonly coveredLost: number;
  readonly changes: PremisesChanges;
}

/**
 * Premises that are listed before or after, with the zone that applies to them.
 * @param zones of both contents, ascending
 */
export function diffPremises(
  before: CatalogueContent,
  after: CatalogueContent,
  zones: readonly string[],
): PremisesDiff {
  const [a, b] = [new PremisesInTurn(before, zones), new PremisesInTurn(after, zones)];
  const counts = Object.fromEntries(premisesChangeKinds.map((kind) => [kind, 0]));
  const uprns: number[] = [];
  const postcodes: number[] = [];
  const kinds: number[] = [];
  const froms: number[] = [];
  const tos: number[] = [];
  let covered = 0;
  let coveredLost = 0;
  while (!a.ended || !b.ended) {
    const order = a.ended ? 1 : b.ended ? -1 : a.packed - b.packed || a.uprn - b.uprn;
    const { packed, uprn } = order <= 0 ? a : b;
    const from = order <= 0 ? a.zone : a.zoneAround(packed);
    const to = order >= 0 ? b.zone : b.zoneAround(packed);
    if (order <= 0 && from !== 0) {
      covered++;
      if (to === 0) coveredLost++;
    }
    const kind = kindOf(from, to, order) ?? otherOf(a, b);
    const [was, is] = [a.constraints, b.constraints];
    if (order <= 0) a.next();
    if (order >= 0) b.next();
    if (kind === null) continue;
    counts[kind]!++;
    uprns.push(uprn);
    postcodes.push(packed);
    kinds.push(premisesChangeKinds.indexOf(kind));
    const isConstrained = kind === 'constrained';
    froms.push(isConstrained ? was : from);
    tos.push(isConstrained ? is : to);
  }
  return {
    counts: counts as PremisesDiff['counts'],
    covered,
    coveredLost,
    changes: {
      uprns: Float64Array.from(uprns),
      postcodes: Uint32Array.from(postcodes),
      kinds: Uint8Array.from(kinds),
      from: Uint16Array.from(froms),
      to: Uint16Array.from(tos),
      zones,
    },
  };
}

function kindOf(from: number, to: number, order: number): PremisesChangeKind | null {
  if (from !== to) return from === 0 ? 'gained' : to === 0 ? 'lost' : 'moved';
  return order === 0 ? null : order < 0 ? 'unlisted' : 'listed';
}

/** What changed of the same premises, apart from their zone. */
function otherOf(a: PremisesInTurn, b: PremisesInTurn): PremisesChangeKind | null {
  if (a.constraints !== b.constraints) return 'constrained';
  const [was, is] = [a.location, b.location];
  const isThere = was?.easting === is?.easting && was?.northing === is?.northing;
  return !isThere ? 'relocated' : a.name !== b.name ? 'renamed' : null;
}

/** Reads the premises of a content in order, and their zones as an index into `zones` plus one. */
class PremisesInTurn {
  private readonly keys: Iterator<PremisesKey, undefined>;
  private readonly joint: Uint16Array;
  private position = -1;
  ended = false;
  packed = 0;
  uprn = 0;
  zone = 0;

  constructor(
    private readonly content: CatalogueContent,
    zones: readonly string[],
  ) {
    const { coverage, premises } = content;
    this.keys = premises.keys();
    this.joint = jointNumbers(coverage.zones, zones);
    this.next();
  }

  get name(): string | null {
    return this.content.premises.nameAt(this.position);
  }

  get location(): Position | null {
    return this.content.premises.positionAt(this.position);
  }

  get constraints(): number {
    return this.content.premises.constraintsAt(this.position);
  }

  next(): void {
    const next = this.keys.next();
    this.position += 1;
    this.ended = next.done === true;
    if (next.done) return;
    const { value } = next;
    this.packed = value.packed;
    this.uprn = value.uprn;
    this.zone =
      value.zoneNumber === NO_ROW ? this.zoneAround(value.packed) : this.joint[value.zoneNumber]!;
  }

  /** Of a packed postcode. */
  zoneAround(packed: number): number {
    return this.joint[this.content.coverage.zoneNumberAt(packed)]!;
  }
}

export function* premisesChanges({
  uprns,
  postcodes,
  kinds,
  from,
  to,
  zones,
}: PremisesChanges): Generator<PremisesChange> {
  for (const [i, uprn] of uprns.entries()) {
    const change = premisesChangeKinds[kinds[i]!]!;
    const print = (number: number) =>
      change === 'constrained' ? cellOfConstraints(number) : zones[number - 1];
    yield {
      uprn: String(uprn),
      postcode: printPlace('unit', postcodes[i]!),
      change,
      from: print(from[i]!) ?? null,
      to: print(to[i]!) ?? null,
    };
  }
}
