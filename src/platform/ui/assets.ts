import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { accentsOf } from '../config/brand.js';
import type { Config } from '../config/config.js';

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

const compressions = { br: promisify(brotliCompress), gzip: promisify(gzip) };

interface AssetType {
  readonly type: string;
  readonly isCompressed?: true;
}

export class Asset {
  private readonly compressed = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly about: AssetType,
    readonly bytes: Buffer,
  ) {}

  get type(): string {
    return this.about.type;
  }

  /** Compressed on first use, in a thread of zlib. Undefined where it is sent as it is. */
  compressedAs(encoding: string | false): Promise<Buffer> | undefined {
    if (this.about.isCompressed || (encoding !== 'br' && encoding !== 'gzip')) return undefined;
    let bytes = this.compressed.get(encoding);
    if (!bytes) {
      bytes = compressions[encoding](this.bytes);
      this.compressed.set(encoding, bytes);
    }
    return bytes;
  }
}

const types: Readonly<Record<string, AssetType>> = {
  '.css': { type: 'text/css; charset=utf-8' },
  '.js': { type: 'text/javascript; charset=utf-8' },
  '.svg': { type: 'image/svg+xml' },
  '.png': { type: 'image/png', isCompressed: true },
  '.woff2': { type: 'font/woff2', isCompressed: true },
};

/** The operator's name, logo and colour. */
export type Brand = Pick<Config, 'brandName' | 'brandLogo' | 'brandColour'>;

/** All scripts, for signed-in members. */
export const PAGE_SCRIPT = 'pages.js';
/** For the pages before the sign-in. */
export const SIGN_IN_SCRIPT = 'sign-in.js';

/** The accent colour of the icon. */
const ICON_COLOUR = '#0b57d0';

/** The files that pages load, under names that carry a hash of their content. */
export class Assets {
  private readonly byAddress = new Map<string, Asset>();
  private readonly addresses = new Map<string, string>();
  /** The address of the operator's logo. */
  readonly logo: string | null = null;

  /** Joins the style sheets in the order of their names, and the scripts. */
  constructor(
    styles: string,
    scripts: string,
    readonly brand: Brand,
  ) {
    const { brandColour: colour, brandLogo: logo } = brand;
    for (const name of filesOf(styles, '.woff2')) this.add(name, readFileSync(join(styles, name)));
    const sheets = [...read(styles, '.css').values(), ...(colour ? [accentsOf(colour)] : [])];
    this.add(
      'styles.css',
      withoutComments(sheets.join('\n')).replaceAll(
        /url\(([\w-]+\.woff2)\)/g,
        (_all, font: string) => {
          return `url(${this.addresses.get(font)})`;
        },
      ),
    );
    for (const [name, text] of read(styles, '.svg')) {
      this.add(name, colour ? text.replaceAll(ICON_COLOUR, colour.light) : text);
    }
    const modules = read(scripts, '.js');
    this.add(PAGE_SCRIPT, bundleScripts(modules));
    this.add(SIGN_IN_SCRIPT, bundleScripts(modules, ['password.js', 'stored-drafts.js']));
    if (logo) {
      const name = `logo${logo.extension}`;
      this.add(name, logo.bytes);
      this.logo = this.addressOf(name);
    }
  }

  /** @throws for an unknown name */
  addressOf(name: string): string {
    const address = this.addresses.get(name);
    if (address === undefined) throw new Error(`There is no asset ${name}.`);
    return `/staff/assets/${address}`;
  }

  find(address: string): Asset | undefined {
    return this.byAddress.get(address);
  }

  private add(name: string, content: string | Buffer): string {
    const bytes = Buffer.from(content);
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
    const extension = extname(name);
    const address = `${basename(name, extension)}.${hash}${extension}`;
    this.byAddress.set(address, new Asset(types[extension]!, bytes));
    this.addresses.set(name, address);
    return address;
  }
}

/** No value in our style sheets depends on the number of its blanks. */
function withoutComments(css: string): string {
  return css.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\s+/g, ' ');
}

function filesOf(folder: string, extension: string): string[] {
  const files = readdirSync(folder).filter((file) => extname(file) === extension);
  return files.sort();
}

/** The files of a folder with this extension, by name. */
function read(folder: string, extension: string): ReadonlyMap<string, string> {
  const files = filesOf(folder, extension);
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

const unbranded: Brand = { brandName: 'Product Availability', brandLogo: null, brandColour: null };

let loaded: Assets | undefined;

/** Makes the files of this process for the operator. */
export function brandAssets(brand: Brand): void {
  loaded = new Assets(
    join(import.meta.dirname, 'assets'),
    join(import.meta.dirname, 'browser'),
    brand,
  );
}

export function assets(): Assets {
  if (!loaded) brandAssets(unbranded);
  return loaded!;
}
