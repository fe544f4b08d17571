const MOST_CANDIDATES = 1_000;

/**
 * The candidate most like `text`, ignoring case, within an edit distance of one for up to four
 * characters, else two. Compares only the first 1,000 candidates of about the same length.
 */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = text.toLowerCase();
  let best: string | undefined;
  let least = text.length <= 4 ? 2 : 3;
  let left = MOST_CANDIDATES;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const changes = editDistance(wanted, candidate.toLowerCase());
    if (changes < least) [best, least] = [candidate, changes];
    if (--left === 0) break;
  }
  return best;
}

/** `Did you mean "LONDON"?`; undefined if no candidate is near. */
export function didYouMean(text: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(text, candidates);
  return near === undefined ? undefined : `Did you mean "${near}"?`;
}

/** Optimal string alignment: Levenshtein distance plus transpositions of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const other = a[i - 1] === b[j - 1] ? 0 : 1;
      let changes = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + other);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        changes = Math.min(changes, beforeLast[j - 2]! + 1);
      }
      row.push(changes);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
