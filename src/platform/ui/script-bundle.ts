/**
 * Joins our own scripts into one module: one request instead of fifteen, and compressed together. Each
 * script keeps its own scope. Knows only what they use: imports of names, and exported functions and constants.
 * @param modules by file name, as TypeScript wrote them
 * @param names those to include, with what they import; by default all
 * @throws {Error} for another kind of import or export
 */
export function bundleScripts(
  modules: ReadonlyMap<string, string>,
  names: Iterable<string> = modules.keys(),
): string {
  const added = new Set<string>();
  const parts: string[] = [];
  const add = (name: string) => {
    if (added.has(name)) return;
    added.add(name);
    const text = modules.get(name);
    if (text === undefined) throw new Error(`A script imports ${name}, which is not there.`);
    const exported: string[] = [];
    const body = text
      .replaceAll(/^\/\/# sourceMappingURL=.*$|^export \{\};$/gm, '')
      .replaceAll(/^import \{([^}]*)\} from '\.\/([\w-]+\.js)';$/gm, (_all, list, other) => {
        add(String(other));
        return `const {${String(list).replaceAll(' as ', ': ')}} = ${scopeOf(String(other))};`;
      })
      .replaceAll(/^export ((?:async )?function|const) (\w+)/gm, (_all, kind, of) => {
        exported.push(String(of));
        return `${kind} ${of}`;
      });
    const [unknown] = /^(?:import|export)\b.*$/m.exec(body) ?? [];
    if (unknown !== undefined) throw new Error(`${name} cannot be joined: ${unknown}`);
    parts.push(
      `const ${scopeOf(name)} = (() => {\n${body.trim()}\nreturn { ${exported.join(', ')} };\n})();\n`,
    );
  };
  for (const name of names) add(name);
  return parts.join('');
}

function scopeOf(name: string): string {
  return `$${name.replace(/\.js$/, '').replaceAll('-', '_')}`;
}
