import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The output and exit code of the check with an npm that answers this. */
async function check(
  answer: unknown,
  mode = '',
): Promise<{ readonly code: number; readonly output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'npm-'));
  try {
    const text = JSON.stringify(answer) ?? '';
    await writeFile(join(folder, 'npm'), `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
    const env = {
      PATH: [folder, process.env.PATH].join(delimiter),
      DEPENDENCY_AUDIT: mode,
    };
    return await new Promise((resolve) => {
      execFile(process.execPath, ['scripts/check-dependencies.mjs'], { env }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), output: out + err }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const found = (high: number) => ({
  metadata: { vulnerabilities: { high, critical: 0, total: high } },
  vulnerabilities: {},
});
const notOffered = { message: '405 Method Not Allowed', statusCode: 405 };
const unreachable = { message: 'connect ECONNREFUSED' };

it.each([
  ['without vulnerabilities', found(0), '', 0],
  ['with one of high severity', found(1), '', 1],
  ['where the registry has no audits', notOffered, '', 1],
  ['where it has none and that is accepted', notOffered, 'if-offered', 0],
  ['where the registry cannot be reached', unreachable, 'if-offered', 1],
  ['where npm says nothing', undefined, 'if-offered', 1],
  ['where the registry shall not be asked', unreachable, 'off', 0],
  ['with an unknown mode', found(0), 'maybe', 1],
])('the check of dependencies %s ends with code', async (_, answer, mode, code) => {
  expect((await check(answer, mode)).code).toBe(code);
});

it('the check of dependencies explains a registry that does not answer', async () => {
  const { output } = await check(notOffered);
  expect(output).toContain('The registry did not answer about vulnerabilities: 405');
  expect(output).toContain('set DEPENDENCY_AUDIT=if-offered');
});

it('no package reports its installation, or runs a script in the image', async () => {
  const { scarfSettings, allowScripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scarfSettings?: unknown;
    allowScripts: Record<string, boolean>;
  };
  expect([scarfSettings, allowScripts['@scarf/scarf']]).toEqual([{ enabled: false }, false]);
  expect(await readFile('scripts/release/ready-folder.mjs', 'utf8')).toContain('--ignore-scripts');
  expect(await readFile('Dockerfile', 'utf8')).not.toMatch(/\bnpm (?:ci|install)\b/);
});

it('shipped packages have a hash, and none needs a script to be complete', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: true; integrity?: string; hasInstallScript?: true }>;
  };
  const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(shipped.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  const scripts = shipped.filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripts.map(([path]) => path)).toEqual(['node_modules/@scarf/scarf']);
});
