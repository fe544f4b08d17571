import { requireNode } from '../src/node-version.js';

// The database of the demo is for the eyes of its owner only.
process.umask(0o077);
requireNode();
const { prepareImports } = await import('../src/import-resolution.js');
prepareImports();
await import('./demo.js');
