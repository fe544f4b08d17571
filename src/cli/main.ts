#!/usr/bin/env node
import { runCommand } from './commands.js';

await runCommand(process.argv.slice(2));
