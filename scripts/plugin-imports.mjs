/**
 * The swagger plugin imports the types of answers from the text that the type checker prints. There TypeScript escapes what is not
 * ASCII (`\u00E9`), which the plugin takes for folders. Returns the text without these escapes.
 */
export function plainImports(text) {
  return text.replace(
    /import\("(?:[^"\\]|\\.)*"/g,
    (printed) => `import("${JSON.parse(printed.slice('import('.length))}"`,
  );
}

/** A program for the plugin, whose checker prints imports so. */
export function forPlugin(program) {
  const checker = program.getTypeChecker();
  const printing = Object.create(checker, {
    typeToString: { value: (...about) => plainImports(checker.typeToString(...about)) },
  });
  return Object.create(program, { getTypeChecker: { value: () => printing } });
}

/** The relative imports that the plugin has added to a compiled file. */
export function pluginImports(text) {
  const found = text.matchAll(/(?:openapi_import_\d+ from |\bimport\()\s*"(\.{1,2}\/[^"]+)"/g);
  return [...found].map(([, path]) => path);
}
