import { describe, expect, it, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { problemTypes } from '../src/platform/problems/problem-types.js';
import {
  cycleIn,
  importsBetweenFolders,
  mutualImports,
  packagesOf,
  sourcesIn,
} from './support/source-graph.js';

interface Source {
  readonly path: string;
  readonly text: string;
  /** The text without its comments. */
  readonly code: string;
}

const sources: readonly Source[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/\.(?:spec|given)\.ts$/.test(path))
  .map((path) => {
    const text = readFileSync(join('src', path), 'utf8');
    return { path, text, code: withoutComments(text) };
  });

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function pathsOf(is: (source: Source) => boolean): string[] {
  return sources.filter(is).map(({ path }) => path);
}

/** `path: match` for every place in which the pattern occurs. */
function occurrences(pattern: RegExp, except?: RegExp): string[] {
  return sources
    .filter(({ path }) => !except?.test(path))
    .flatMap(({ path, code }) => [...code.matchAll(pattern)].map(([match]) => `${path}: ${match}`));
}

const directAccess =
  /\bDataSource\b|\bEntityManager\b|\bgetRepository\b|\bInjectRepository\b|\bTypeOrmModule\b|(?<!mover)\.manager\b|\bcreateQueryRunner\b|(?<!\btx\s*)\.(?:query|createQueryBuilder)\(/g;

interface Rule {
  readonly what: string;
  readonly pattern: RegExp;
  /** The files that may. */
  readonly except?: RegExp;
}

const rules: readonly Rule[] = [
  {
    what: 'uses the database other than by Transactions',
    pattern: directAccess,
    except: /^platform\/database\/|^data-source\.ts$/,
  },
  {
    what: 'opens the database',
    pattern: /\bcreateDataSource\(/g,
    except: /^platform\/database\/|^data-source\.ts$|^cli\/database\.ts$/,
  },
  {
    // Commands use the present time. Time-outs of a database, and the header `Date`, do not follow the Clock.
    what: 'asks the machine for the time',
    pattern: /\bDate\.now\(|\bnew Date\(\)/g,
    except:
      /^platform\/kernel\/clock\.ts$|^cli\/|^platform\/database\/|^platform\/http\/tracked-response\.ts$/,
  },
  { what: 'saves, where insert or update says what happens', pattern: /\btx\.(?:save|upsert)\(/g },
  {
    // Its place, its side, its price list, prices by distance: `catalogue/shown` decides them once for a caller.
    what: 'finds offers other than as they are shown to a caller',
    pattern:
      /\bsandboxCatalogue(?:AtOrder)?\b|\.(?:offersAt|withNear)\(|\bnearNet === 'default'|\bconfig\.nearNet\b/g,
    // Coverage is a list of all places, in each state of the sandbox.
    except:
      /^catalogue\/(?:shown|content|network|sandbox)\/|^coverage-sync\/coverage-versions\.service\.ts$/,
  },
  { what: 'closes a circle', pattern: /\bforwardRef\b/g },
  {
    // The compiler plugin cannot see the type of a generic list's rows.
    what: 'documents a property by hand',
    pattern: /@ApiProperty\w*\(/g,
    except: /^platform\/http\/paging\.ts$/,
  },
  { what: 'exports what others do', pattern: /^export (?:\*|\{[^}]*\}) from/gm },
];

describe('no source', () => {
  it.each(rules)('$what', ({ pattern, except }) => {
    expect(occurrences(pattern, except)).toEqual([]);
  });

  it('switches a rule off', () => {
    const off = /eslint-disable|@ts-(?:ignore|expect-error|nocheck)/;
    expect(pathsOf(({ text }) => off.test(text))).toEqual([]);
  });

  it('is a folder or file for anything, such as utils', () => {
    const catchAll = /(?:^|\/)(?:index\.ts|(?:utils?|helpers?)\b)/;
    expect(pathsOf(({ path }) => catchAll.test(path))).toEqual([]);
  });
});

describe('names in src', () => {
  it('belong to one exported type each', () => {
    const declared = sources.flatMap(({ path, code }) =>
      [...code.matchAll(/^export (?:abstract )?(?:interface|class|type|enum) (\w+)/gm)].map(
        ([, name = '']) => ({ name, path }),
      ),
    );
    const places = Map.groupBy(declared, ({ name }) => name);
    const repeated = [...places].filter(([, declarations]) => declarations.length > 1);
    expect(repeated.map(([name]) => name)).toEqual([]);
    expect(places.size).toBeGreaterThan(500);
  });

  it('tell the role of each injectable class', () => {
    const role =
      /(?:Service|Guard|Repository|Controller|Worker|Strategy|Filter|Interceptor|Channel)$/;
    const injectables = sources.flatMap(({ code }) =>
      [...code.matchAll(/@Injectable\(\)\s+export class (\w+)/g)].map(([, name = '']) => name),
    );
    expect(injectables.filter((name) => !role.test(name))).toEqual([]);
    expect(injectables.length).toBeGreaterThan(50);
  });
});

describe('the folders of src', () => {
  it('import one another without a cycle, root files included', () => {
    expect(cycleIn(importsBetweenFolders('src'))).toEqual([]);
  });

  it('never import each other, at any depth', () => {
    expect(mutualImports('src')).toEqual([]);
  });

  it('are seen to form a cycle when they do', () => {
    const imports = new Map([
      ['orders', new Set(['kernel', 'audit'])],
      ['audit', new Set(['database'])],
      ['database', new Set(['orders'])],
    ]);
    expect(cycleIn(imports)).toEqual(['orders', 'audit', 'database', 'orders']);
  });

  it('hold at most 25 source files side by side', () => {
    const sizes = Map.groupBy(sourcesIn('src'), (path) => dirname(path));
    expect([...sizes].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual(
      [],
    );
  });
});

const linesOf = ({ text }: Source) => text.split('\n').length - 1;

describe('a file', () => {
  it('has at most 400 lines', () => {
    // The readers of postcodes share their tables, and what they have scanned.
    const long = pathsOf((source) => linesOf(source) > 400);
    expect(long).toEqual(['platform/kernel/postcode.ts']);
  });
});

test('no thread loads the framework, which would take longer than most of its work', () => {
  const threads = readdirSync('dist/src', { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?:\.worker|\/thread)\.js$/.test(path),
  );
  const framework = /^@nestjs|^rxjs$|^typeorm$|^express$/;
  const loading = threads.filter((path) =>
    [...packagesOf(join('dist/src', path))].some((name) => framework.test(name)),
  );
  expect(loading).toEqual([]);
  expect(threads.length).toBeGreaterThan(3);
  expect([...packagesOf('dist/src/app.js')]).toContain('@nestjs/core');
});

test('every problem of the catalogue is thrown by something', () => {
  const thrown = new Set(
    sources.flatMap(({ code }) =>
      [...code.matchAll(/(?:super|new Problem)\(\s*'([a-z-]+)'/g)].map(([, name]) => name),
    ),
  );
  expect(Object.keys(problemTypes).filter((name) => !thrown.has(name))).toEqual([]);
});
