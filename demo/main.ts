import { requireNode } from '../src/node-version.js';

requireNode();
await import('./demo.js');
