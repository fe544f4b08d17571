import type { VersionView } from './catalogue.dto.js';
import type { CatalogueVersion } from './versions/catalogue-version.entity.js';

/** What staff and the command line see of a version. */
export function versionView(version: CatalogueVersion): VersionView {
  const { number, state, label, products, prices, places, contentOf } = version;
  const { comparedWith, createdBy, createdAt, activatesAt, activatedAt, retiredAt } = version;
  return {
    number,
    state,
    label,
    products,
    prices,
    places,
    // Without the version of its form, which is ours alone.
    contentHash: version.contentHash.replace(/^v\d+:/, ''),
    comparedWith,
    rails: version.rails ?? [],
    contentOf,
    createdBy,
    createdAt,
    activatesAt,
    activatedAt,
    retiredAt,
  };
}
