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

/** What the pages load beside themselves, under names that carry a hash of their content. */
export class Assets {
  private readonly byAddress = new Map<string, Asset>();
  private readonly addresses = new Map<string, string>();

  /** Style sheets are one, in the order of their names; scripts are modules that may import others. */
  constructor(styles: string, scripts: string) {
    const files = readdirSync(styles).sort();
    const sheets = files.filter((file) => extname(file) === '.css');
    const sheet = sheets.map((file) => readFileSync(join(styles, file), 'utf8')).join('\n');
    this.add('styles.css', sheet);
    for (const file of files.filter((name) => extname(name) === '.svg')) {
      this.add(file, readFileSync(join(styles, file), 'utf8'));
    }
    const modules = new Map(
      readdirSync(scripts)
        .filter((file) => extname(file) === '.js')
        .sort()
        .map((file) => [file, readFileSync(join(scripts, file), 'utf8')]),
    );
    for (const name of modules.keys()) this.addModule(name, modules);
  }

  /** Where a browser finds it. @throws where there is no asset of that name */
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

  /** What it imports comes first: its text names the others with their hashes, and so its own does. */
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

let loaded: Assets | undefined;

export function assets(): Assets {
  return (loaded ??= new Assets(
    join(import.meta.dirname, '../assets'),
    join(import.meta.dirname, '../browser'),
  ));
}
