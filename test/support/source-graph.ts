import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** Imports between the folders and files directly in `root`, without specs. */
export function importsBetweenFolders(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of sourcesIn(root)) {
    const from = topOf(file);
    const targets = imports.get(from) ?? new Set();
    imports.set(from, targets);
    for (const path of importsOf(join(root, file))) {
      const to = topOf(join(dirname(file), path).replace(/\.js$/, '.ts'));
      if (to !== from) targets.add(to);
    }
  }
  return imports;
}

/**
 * Pairs of folders at any depth that import each other, a folder and its own child included. Modules of
 * Nest may import what they put together.
 */
export function mutualImports(root: string): string[] {
  const imports = new Map<string, Set<string>>();
  for (const file of sourcesIn(root)) {
    if (file.endsWith('.module.ts')) continue;
    const targets = imports.get(dirname(file)) ?? new Set();
    imports.set(dirname(file), targets);
    for (const path of importsOf(join(root, file))) targets.add(dirname(join(dirname(file), path)));
  }
  return [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => from < to && imports.get(to)?.has(from))
      .map((to) => `${from} and ${to}`),
  );
}

/** The packages that a compiled file loads, by itself and by what it imports. */
export function packagesOf(entry: string): ReadonlySet<string> {
  const packages = new Set<string>();
  const files = new Set([entry]);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(
      /^(?:import|export) (?:[^;']*? from )?'([^']+)';/gm,
    )) {
      if (name.startsWith('.')) files.add(join(dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)![0]);
    }
  }
  return packages;
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.\.?\/[^']+)'/g)].map(([, name = '']) => name);
}

/** One cycle, in the order of the imports; empty if there is none. */
export function cycleIn(imports: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const finished = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (finished.has(name)) return [];
    for (const next of imports.get(name) ?? []) {
      const cycle = visit(next, [...path, name]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(name);
    return [];
  };
  for (const name of imports.keys()) {
    const cycle = visit(name, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

/** Files of the service, with paths relative to `root`. */
export function sourcesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.spec\.tsx?$/.test(path),
  );
}

function topOf(path: string): string {
  return path.split('/')[0]!;
}
