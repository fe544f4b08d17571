import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { problemTypes } from '../../src/platform/problems/problem-types.js';

const markdownIn = (folder: string, recursive = true) =>
  readdirSync(folder, { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const files = ['.', 'demo', 'examples']
  .flatMap((folder) => markdownIn(folder, false))
  .concat(markdownIn('docs'));

/** The names of all source files. */
const sources = new Set(
  ['.', ...['src', 'test', 'demo', 'bench', 'examples', 'packages']]
    .flatMap((folder) => readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' }))
    .map((path) => basename(path)),
);

const text = (file: string) => readFileSync(file, 'utf8');
const withoutBlocks = (markdown: string) => markdown.replaceAll(/^ *```[^]*?^ *```$/gm, '');

/** Links to other files and headings. Links that start with `/` are paths of the service. */
function linksIn(file: string): string[] {
  const prose = withoutBlocks(text(file)).replaceAll(/`[^`]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g)]
    .map(([, link, image]) => (link ?? image)!)
    .filter((target) => !/^(?:https?:|mailto:|\/)/.test(target));
}

/** The anchors that GitHub gives to the headings of a file. */
function anchorsOf(file: string): string[] {
  return [...withoutBlocks(text(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isThere(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), path);
  if (!existsSync(target)) return false;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return true;
  // The service adds a heading for each problem.
  return target === 'docs/api/errors.md' && anchor in problemTypes;
}

describe.each(files)('%s', (file) => {
  it('links only to files and headings that exist', () => {
    expect(linksIn(file).filter((link) => !isThere(file, link))).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    const named = [...text(file).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)];
    expect(named.map(([, name]) => name!).filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe.each(files.filter((file) => !/^docs\/api\/|^CHANGELOG/.test(file)))('%s', (file) => {
  it('names only source files that exist', () => {
    const folders = 'src|test|docs|deploy|demo|examples|bench|scripts';
    const path = new RegExp(`\`((?:${folders})/[\\w./-]+)\``, 'g');
    const named = [...text(file).matchAll(path)].map(([, name]) => name!);
    const made = /^demo\/(?:data|credentials\.json)/;
    expect(named.filter((name) => !made.test(name) && !existsSync(name))).toEqual([]);
    const alone = [...text(file).matchAll(/`([\w.-]+\.tsx?)`/g)].map(([, name]) => name!);
    expect(alone.filter((name) => !sources.has(name))).toEqual([]);
  });
});

it('architecture.md names every folder of src', () => {
  const [, table = ''] =
    /^## Folders\n([^]*?)^## /m.exec(text('docs/develop/architecture.md')) ?? [];
  const folders = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  // A row names a room, or a folder of the platform; a deeper folder is named in its row by its last name.
  const deep = (folder: string) => (folder.startsWith('src/platform/') ? 3 : 2);
  const named = (path: string) => table.split('\n').find((line) => line.includes(`\`${path}\``));
  const missing = folders.filter((folder) => {
    const names = folder.split('/');
    // The words of a feature's emails, in any room.
    if (names.at(-1) === 'emails') return !table.includes('`emails/`');
    if (names.length <= deep(folder)) return !named(folder) && !table.includes(`\`${folder}/\``);
    const row = named(names.slice(0, deep(folder)).join('/'));
    return !row?.includes(`\`${names.at(-1)!}\``);
  });
  expect(missing).toEqual([]);
});

describe('README.md', () => {
  it('is a front page of at most 230 lines', () => {
    expect(text('README.md').split('\n').length - 1).toBeLessThanOrEqual(230);
  });

  it('installs with the same commands as docs/operate/install.md', () => {
    const commands = (file: string) => /^```sh\nuseradd [^]*?^```$/m.exec(text(file))?.[0];
    expect(commands('README.md')).toContain('systemctl enable');
    expect(commands('README.md')).toBe(commands('docs/operate/install.md'));
  });

  it('names a test for each promise', () => {
    const [, promises = ''] = /^## What we promise\n([^]*?)^## /m.exec(text('README.md')) ?? [];
    const rows = promises
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.filter((row) => !row.split('|').at(-2)!.includes('`test/'))).toEqual([]);
  });

  it('links to every page that is not at /docs', () => {
    const pages = markdownIn('docs').filter((file) => !file.startsWith('docs/api/'));
    const links = linksIn('README.md').map((link) => join(link));
    expect(pages.filter((page) => !links.includes(page))).toEqual([]);
  });
});
