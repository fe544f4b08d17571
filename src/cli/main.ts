#!/usr/bin/env node
import { requireNode } from '../node-version.js';

requireNode();
const { runCommand } = await import('./commands.js');
await runCommand(process.argv.slice(2));
