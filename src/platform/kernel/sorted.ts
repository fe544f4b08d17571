/** Binary search. @returns the position of the first key that is not smaller */
export function lowerBound(keys: Uint32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The nearest-rank percentile of sorted numbers; `part` is 0 to 1. Null of none. */
export function nearestRank(sorted: ArrayLike<number>, part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
