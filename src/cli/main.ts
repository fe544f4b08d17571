#!/usr/bin/env node
import { requireNode } from '../node-version.js';

// Databases, backups and exports hold personal data: for the owner's eyes only.
process.umask(0o077);
requireNode();
const { runCommand } = await import('./commands.js');
await runCommand(process.argv.slice(2));
