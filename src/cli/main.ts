#!/usr/bin/env node
import { requireNode } from '../node-version.js';

// Databases, backups and exports hold personal data: for the owner's eyes only.
process.umask(0o077);
requireNode();
const { prepareImports } = await import('../import-resolution.js');
prepareImports({ keepCompiled: true });
// `console` ignores it: a full disk would cut a list off without a word. A reader such as `head` may stop early.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || process.exitCode === 1) return;
  console.error(`The output cannot be written: ${message}`);
  process.exitCode = 1;
});
process.stderr.on('error', () => undefined);
const { runCommand } = await import('./commands.js');
await runCommand(process.argv.slice(2));
