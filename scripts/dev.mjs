// Serves the demo, and rebuilds and restarts it whenever a source changes.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

// From here on the watchers write dist/: the next build must not take it for its own.
rmSync('dist/.built-from', { force: true });

const tools = [
  [
    'node_modules/typescript/bin/tsc',
    '-p',
    'src/pages/browser',
    '--watch',
    '--preserveWatchOutput',
  ],
  [
    'node_modules/@nestjs/cli/bin/nest.js',
    'start',
    '--watch',
    '--preserveWatchOutput',
    '--entryFile',
    'demo/main',
  ],
];
const running = tools.map((args) => spawn(process.execPath, args, { stdio: 'inherit' }));

function stop(code) {
  for (const child of running) child.kill('SIGTERM');
  process.exitCode = code;
}
for (const child of running) child.on('exit', (code) => stop(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(0));
