import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files that pages load, under names that carry a hash of their content. */
export class Assets {
  private readonly byAddress = new Map<string, Asset>();
  private readonly addresses = new Map<string, string>();

  /** Joins the style sheets in the order of their names. Scripts are modules. */
  constructor(styles: string, scripts: string) {
    const sheets = read(styles, '.css');
    this.add('styles.css', [...sheets.values()].join('\n'));
    for (const [name, text] of read(styles, '.svg')) this.add(name, text);
    const modules = read(scripts, '.js');
    for (const name of modules.keys()) this.addModule(name, modules);
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

  scripts(): string[] {
    return [...this.addresses.keys()].filter((name) => extname(name) === '.js').sort();
  }

  /** Adds the imported modules first, because the text contains their names with hashes. */
  private addModule(name: string, modules: ReadonlyMap<string, string>): string {
    const known = this.addresses.get(name);
    if (known !== undefined) return known;
    const text = modules.get(name);
    if (text === undefined) throw new Error(`A script imports ${name}, which is not there.`);
    const linked = text
      .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '')
      .replaceAll(/(from\s*|import\s*)(['"])\.\/([\w-]+\.js)\2/g, (_all, word, quote, other) => {
        return `${word}${quote}./${this.addModule(String(other), modules)}${quote}`;
      });
    return this.add(name, linked);
  }

  private add(name: string, text: string): string {
    const bytes = Buffer.from(text);
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
    const extension = extname(name);
    const address = `${basename(name, extension)}.${hash}${extension}`;
    const asset = {
      type: types[extension] ?? 'application/octet-stream',
      bytes,
      brotli: brotliCompressSync(bytes),
      gzip: gzipSync(bytes),
    };
    this.byAddress.set(address, asset);
    this.addresses.set(name, address);
    return address;
  }
}

/** The files of a folder with this extension, by name. */
function read(folder: string, extension: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder).filter((file) => extname(file) === extension);
  return new Map(files.sort().map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

let loaded: Assets | undefined;

export function assets(): Assets {
  return (loaded ??= new Assets(
    join(import.meta.dirname, '../assets'),
    join(import.meta.dirname, '../browser'),
  ));
}
