import { requireNode } from './node-version.js';

requireNode();
await import('./start.js');
