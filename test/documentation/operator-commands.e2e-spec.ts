import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { newFolder } from '../support/closing.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { stepsOf } from '../support/documented.js';
import { cli } from '../support/processes.js';

const operate = readdirSync('docs/operate').map((name) => `docs/operate/${name}`);
const pages = ['README.md', 'docs/admin.md', ...operate].map((file) => ({
  file,
  markdown: readFileSync(file, 'utf8'),
}));

const command =
  /^(?:npm run (?:--silent )?cli --|runuser .* node dist\/src\/cli\/main\.js) (.+)$/gm;

/** The words of each operator's command in a text, without comments. */
function commandsIn(text: string): string[][] {
  return [...text.matchAll(command)].map(([, line]) =>
    [...line!.replace(/\s+# .*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => (quoted ?? bare)!,
    ),
  );
}

/** The names of a command and its group, such as `catalogue import` or `orders delivery import`. */
function nameOf(words: readonly string[]): string[] {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const longest = words[1] === 'delivery' ? 3 : 2;
  return words.slice(0, end < 0 ? longest : Math.min(end, longest));
}

describe('an operator’s command on a page', () => {
  const named = pages.flatMap(({ file, markdown }) =>
    commandsIn(markdown).map((words) => ({ file, words, line: words.join(' ') })),
  );

  it.each(named)('exists with its options in $file: $line', async ({ words }) => {
    const { code, stdout } = await cli({}, ...nameOf(words), '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: npm run cli -- ${nameOf(words).join(' ')}`.trim());
    const options = words.filter((word) => word.startsWith('--') && word !== '--help');
    expect(options.filter((option) => !stdout.includes(`${option} `))).toEqual([]);
  });

  const run = pages
    .map(({ file, markdown }) => ({
      file,
      commands: commandsIn(
        stepsOf(markdown)
          .map(({ script }) => script)
          .join(''),
      ),
    }))
    .filter(({ commands }) => commands.length > 0);

  it('runs where the page marks it', () => {
    expect(run.flatMap(({ commands }) => commands).length).toBeGreaterThan(20);
  });

  it.each(run)('succeeds in $file', async ({ file, commands }) => {
    const settings = environmentOf(await newDatabase('sqlite'));
    const folder = await newFolder();
    for (const words of commands) {
      const here = words.map((word) => word.replace(/^\/(?:backups|tmp)\//, `${folder}/`));
      const { code, stderr } = await cli(settings, ...here);
      expect([file, words.join(' '), code, code === 0 ? '' : stderr]).toEqual([
        file,
        words.join(' '),
        0,
        '',
      ]);
    }
  });
});
