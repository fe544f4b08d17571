import { createHmac } from 'node:crypto';
import { GRID, type Position } from './positions.js';

/** How far points are moved for prices by distance, so that distances and bands do not give them away. */
export interface PointOffset {
  /** See `POINT_OFFSET`. */
  readonly metres: number;
  /** Of this database. With it, the offsets can be undone. */
  readonly secret: string;
}

/** The side of a square whose points have one offset, in metres: a small correction of a point is not another sample. */
const CELL = 100;

/** How much further than `metres` a point can be moved. */
const SPREAD = 1.5;

/**
 * Where prices count a point: `metres` to 1.5 times as many away from it, in a direction that only the holder of
 * the secret can compute, always the same.
 */
export function movedPoint({ easting, northing }: Position, offset: PointOffset): Position {
  const cell = [easting, northing].map((metres) => Math.floor(metres / CELL)).join(' ');
  const digest = createHmac('sha256', offset.secret).update(`point ${cell}`).digest();
  const [turn, further] = [0, 4].map((at) => digest.readUInt32BE(at) / 2 ** 32) as [number, number];
  const far = offset.metres * (1 + (SPREAD - 1) * further);
  const within = (metres: number, most: number) =>
    Math.min(Math.max(Math.round(metres), 1), most - 1);
  return {
    easting: within(easting + far * Math.cos(2 * Math.PI * turn), GRID.easting),
    northing: within(northing + far * Math.sin(2 * Math.PI * turn), GRID.northing),
  };
}

/** `150 to 225 m`. */
export function offsetInWords(metres: number): string {
  return `${metres} to ${Math.round(metres * SPREAD)} m`;
}
