import { requireNode } from './node-version.js';

// The database, its log and backups hold personal data: only the owner may read them.
process.umask(0o077);
requireNode();
const { prepareImports } = await import('./import-resolution.js');
prepareImports();
await import('./start.js');
