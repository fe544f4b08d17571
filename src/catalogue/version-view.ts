import type { VersionView } from './catalogue.dto.js';
import type { CatalogueVersion } from './versions/catalogue-version.entity.js';

/** What staff and the command line see of a version. */
export function versionView({ contentHash, rails, ...version }: CatalogueVersion): VersionView {
  // Clients compare hashes; the version of the stored form is internal.
  return { ...version, contentHash: contentHash.replace(/^v\d+:/, ''), rails: rails ?? [] };
}
