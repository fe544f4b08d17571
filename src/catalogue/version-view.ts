import type { VersionView } from './catalogue.dto.js';
import type { CatalogueVersion } from './versions/catalogue-version.entity.js';

/** The version for the API and the command line. */
export function versionView({ contentHash, rails, ...version }: CatalogueVersion): VersionView {
  // The format version in front of the hash is internal.
  return { ...version, contentHash: contentHash.replace(/^v\d+:/, ''), rails: rails ?? [] };
}
