import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nouns } from '../../src/cli/commands.js';
import { serviceVersion } from '../../src/platform/config/version.js';
import { cli } from '../support/processes.js';

it('the commands fit on one screen, and each says in one line when one needs it', async () => {
  const commands = Object.entries(nouns).flatMap(([noun, { about, commands = { '': about } }]) =>
    Object.entries(commands).map(([verb, line]) => ({ noun, verb, line })),
  );
  expect(commands.length).toBeLessThanOrEqual(38);
  expect(commands.filter(({ line }) => line.length > 85)).toEqual([]);
  const { code, stdout } = await cli({}, '--help');
  const lines = stdout.trimEnd().split('\n');
  expect([code, lines.length <= 40, lines.filter((line) => line.length > 100)]).toEqual([
    0,
    true,
    [],
  ]);
  for (const { verb } of commands) expect(stdout).toContain(verb);
  expect((await cli({}, '--version')).stdout).toBe(`${serviceVersion}\n`);
  expect((await cli({}, 'help', 'db')).stdout).toContain(nouns.db!.commands!.verify);
});

it('the commands load no service for help and wrong words', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const walk = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(
      /^(?:import|export) .*?from '([^']+)';$|^} from '([^']+)';$/gm,
    )) {
      if (name.startsWith('.')) walk(join(dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  walk('dist/src/cli/commands.js');
  const light = ['better-sqlite3', 'cli-progress', 'commander', 'ipaddr.js'];
  expect([...packages].sort()).toEqual(light);
});
