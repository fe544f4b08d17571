// Serves the demo. Rebuilds and restarts it when a source changes.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

if (/[^ -~]/.test(process.cwd())) {
  // `nest start --watch` runs the swagger plugin without scripts/plugin-imports.mjs.
  console.error(
    'npm run dev needs a path of ASCII letters. Move the project, or use npm run build and npm start.',
  );
  process.exit(1);
}

// The watchers write dist/ from now on, so the next build must not treat it as up to date.
for (const stamp of ['.built-from', '.demo-built-from'])
  rmSync(join('dist', stamp), { force: true });

const tools = [
  ...['platform/ui', 'documentation'].map((folder) => [
    'node_modules/typescript/bin/tsc',
    '-p',
    `src/${folder}/browser`,
    '--watch',
    '--preserveWatchOutput',
  ]),
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
