/** Rows of one message: a few milliseconds of work for the thread that receives it. */
export const ROWS_OF_PART = 1_000;

/** Rows of a list of the result. */
export interface ResultPart {
  /** The properties that lead to the list. */
  readonly path: readonly string[];
  readonly rows: readonly unknown[];
}

/**
 * Takes the rows of long lists out of a result. In one message, 500,000 changes would hold the event loop of the
 * main thread for seconds.
 */
export function takeApart(result: unknown): { rest: unknown; parts: readonly ResultPart[] } {
  const parts: ResultPart[] = [];
  const restOf = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) {
      const rows = value as unknown[];
      if (rows.length <= ROWS_OF_PART) return rows;
      for (let at = 0; at < rows.length; at += ROWS_OF_PART) {
        parts.push({ path, rows: rows.slice(at, at + ROWS_OF_PART) });
      }
      return [];
    }
    if (!isPlain(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, restOf(one, [...path, name])]),
    );
  };
  return { rest: restOf(result, []), parts };
}

/** Adds the rows to their list, in the order of `takeApart`. */
export function addPart(rest: unknown, { path, rows }: ResultPart): void {
  const list = path.reduce((value, name) => (value as Record<string, unknown>)[name], rest);
  (list as unknown[]).push(...rows);
}

/** Neither a list nor bytes, a map or another object of a class. */
function isPlain(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
