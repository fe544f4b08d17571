import { requireNode } from './node-version.js';

// The database, its log and backups hold personal data: only the owner may read them.
process.umask(0o077);
requireNode();
await import('./start.js');
