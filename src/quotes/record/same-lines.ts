import type { QuoteLine } from './quote.entity.js';

type Compared = Pick<QuoteLine, 'site' | 'postcode' | 'uprn' | 'wanted' | 'problem'>;

/**
 * For each line the number, from 1, of the first line with the same site, place and wishes; null for that line itself. The
 * case and spaces of names do not count, and rows with a fault are equal to none.
 */
export function firstOfSame(lines: readonly Compared[]): (number | null)[] {
  const first = new Map<string, number>();
  const plain = (text: string | null) => text?.trim().toLowerCase().replaceAll(/\s+/g, ' ') ?? null;
  return lines.map(({ site, postcode, uprn, wanted, problem }, i) => {
    if (problem || !wanted) return null;
    const { bandwidth, term, service } = wanted;
    const key = JSON.stringify([plain(site), postcode, uprn, bandwidth, term, plain(service)]);
    const known = first.get(key);
    if (known === undefined) first.set(key, i + 1);
    return known ?? null;
  });
}

/** What lines have that say no service, if it is of several: the most frequent first. */
export function mixedServicesIn(lines: readonly Pick<QuoteLine, 'wanted' | 'offer'>[]) {
  const services = lines.flatMap(({ wanted, offer }) =>
    wanted?.service == null && offer ? [offer.product.service] : [],
  );
  if (new Set(services).size < 2) return [];
  return [...Map.groupBy(services, (service) => service)]
    .map(([service, { length }]) => ({ service, lines: length }))
    .sort((a, b) => b.lines - a.lines);
}

/** The lines that repeat an earlier one. */
export function duplicatesIn(lines: readonly Pick<QuoteLine, 'sameAs'>[]) {
  return lines.flatMap(({ sameAs }, i) => (sameAs ? [{ lineId: String(i + 1), sameAs }] : []));
}
