import { Injectable, Logger } from '@nestjs/common';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Catalogue, type CatalogueContent } from '../content/catalogue.js';
import { decodeContent, type StoredContent } from '../content/content-codec.js';
import { ContentDamaged } from '../content/coverage-codec.js';
import type { PointOffset } from '../../near-net/moved-points.js';
import { DatabaseSecret } from '../../platform/database/database-secret.entity.js';
import { BuildNetwork } from '../../near-net/network.js';
import { Config } from '../../platform/config/config.js';
import { inBackground, sharedBytes } from '../worker/in-background.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import { unpackNumbers } from '../polygons/outline.js';
import { RegisterService } from './register.service.js';
import { CatalogueVersion, filesHash, CatalogueContentRow } from './catalogue-version.entity.js';
import { NoCatalogue } from './catalogue.errors.js';
import { versionOf } from './version-rows.js';

/** Contents of other versions that stay in memory, to repeat earlier answers. */
const MOST_OLDER = 3;
/** The catalogue versions in memory: the active one, and others on request. */
@Injectable()
export class CatalogueService {
  private readonly logger = new Logger(CatalogueService.name);
  private active: Catalogue | undefined;
  /** By content hash, so that a restore finds its content loaded. */
  private readonly contents = new Map<string, Promise<CatalogueContent>>();
  /** The catalogue that `version` built last of each of the contents: 100,000 prices take 100 ms. It has no network. */
  private readonly built = new WeakMap<CatalogueContent, Catalogue>();
  /** The stored form that was decoded last: mostly the live one, which each comparison needs. */
  private decoded: StoredContent | null = null;
  /** The polygons of the version that was explained last, by the hash of its files. */
  private mapped: {
    readonly hash: string;
    readonly rows: readonly { label: string; units: PackedNumbers; premises: PackedNumbers }[];
  } | null = null;
  private problem: string | null = null;
  /** The digest of the positions from which a network was built; null if there were none. */
  private readonly builtFrom = new WeakMap<Catalogue, string | null>();

  constructor(
    private readonly transactions: Transactions,
    private readonly register: RegisterService,
    private readonly config: Config,
    revisions: RevisionsService,
  ) {
    register.onChange(() => this.loadNetwork());
    revisions.register('catalogue', () => this.load());
  }

  /** The active version. Read it once per request. @throws {NoCatalogue} */
  get current(): Catalogue {
    if (this.active) return this.active;
    throw new NoCatalogue();
  }

  get loaded(): boolean {
    return this.active !== undefined;
  }

  /** With its label in the live catalogue, where it has one: `Fibre in the street (LONDON-ONNET)`. */
  zoneInWords(zone: string): string {
    const label = this.active?.zoneRow(zone)?.label;
    return label ? `${label} (${zone})` : zone;
  }

  /** Null if none is loaded. */
  get currentNumber(): number | null {
    return this.loaded ? this.active!.version : null;
  }

  /** Why this instance could not load the active version; null if it has loaded it. */
  get lag(): string | null {
    return this.problem;
  }

  /** @throws {VersionNotFound} */
  async version(number: number): Promise<Catalogue> {
    if (this.active?.version === number) return this.active;
    const row = await this.transactions.read((tx) => versionOf(tx, number));
    const content = await this.decodedOf(row);
    const known = this.built.get(content);
    if (known?.version === number) return known;
    const catalogue = new Catalogue(number, content, row.contentHash);
    this.built.set(content, catalogue);
    return catalogue;
  }

  /** Identifies the files of a version, as a number can come twice: see `take`. @throws {VersionNotFound} */
  async filesHash(number: number): Promise<string> {
    return filesHash(await this.transactions.read((tx) => versionOf(tx, number)));
  }

  /** The files of a version as they were imported, with costs. @throws {VersionNotFound} */
  async stored(number: number): Promise<StoredContent> {
    return this.contentOf(await this.filesHash(number));
  }

  /** Of a version that goes live next: this instance then need not read it from the database. */
  keepStored({ hash, body }: StoredContent): void {
    this.decoded = { hash, body: sharedBytes(body) };
  }

  /** As `stored`, for staff. */
  async files(number: number): Promise<CatalogueContent> {
    const { sourceHash } = await this.transactions.read((tx) => versionOf(tx, number));
    if (sourceHash === null) return (await this.version(number)).content;
    return decodeContent(await this.contentOf(sourceHash));
  }

  /**
   * The label of the polygon of coverage.geojson that gave a place its zone at the import; null if none did.
   * @throws {VersionNotFound}
   */
  async polygonAt(number: number, { packed, uprn }: PlaceKey): Promise<string | null> {
    const { sourceHash } = await this.transactions.read((tx) => versionOf(tx, number));
    if (sourceHash === null) return null;
    if (this.mapped?.hash !== sourceHash) {
      const { polygons } = await this.files(number);
      const rows = polygons.map(({ label, units, premises }) => ({
        label,
        units: new PackedNumbers(units),
        premises: new PackedNumbers(premises),
      }));
      this.mapped = { hash: sourceHash, rows };
    }
    const { rows } = this.mapped;
    const ofPremises = uprn ? rows.find(({ premises }) => premises.has(uprn)) : undefined;
    return (ofPremises ?? rows.find(({ units }) => units.has(packed)))?.label ?? null;
  }

  /** As `version`, with what places can be built from, to compare it with the live one. @throws {VersionNotFound} */
  async complete(number: number): Promise<Catalogue> {
    if (this.active?.version === number) return this.active;
    const row = await this.transactions.read((tx) => versionOf(tx, number));
    return this.withNetwork(await this.catalogueOf(row));
  }

  /** Adds what places can be built from, where the version has bands and the register positions. */
  private async withNetwork(catalogue: Catalogue): Promise<Catalogue> {
    const { version, content } = catalogue;
    if (content.buildBands.length === 0 || version === 0) return catalogue;
    const stored = await this.register.storedPositions();
    if (stored === null) {
      catalogue.network = null;
      this.builtFrom.set(catalogue, null);
      this.logger.warn(
        `Catalogue version ${version} has build bands, but the postcode register has no positions: no place gets a price by distance. Run postcodes import.`,
      );
      return catalogue;
    }
    const input = await this.networkInput(version, stored);
    catalogue.network = new BuildNetwork(await inBackground('network', input));
    this.builtFrom.set(catalogue, digestOf(stored));
    return catalogue;
  }

  /** For the map: how many postcodes get a price by distance from the live version on a day, by sector. */
  async reach(day: string): Promise<ReadonlyMap<number, number>> {
    const { network, version } = this.current;
    const stored = network && (await this.register.storedPositions());
    if (!stored) return new Map<number, number>();
    return inBackground('reach', { ...(await this.networkInput(version, stored)), day });
  }

  private async networkInput(version: number, positions: Uint8Array) {
    const { contentHash } = await this.transactions.read((tx) => versionOf(tx, version));
    const { routeFactor } = this.config;
    const content = await this.contentOf(contentHash);
    return { content, positions, routeFactor, pointOffset: await this.pointOffset() };
  }

  /** Null where prices by distance count points where they are. */
  async pointOffset(): Promise<PointOffset | null> {
    const { pointOffset: metres } = this.config;
    if (metres === 0) return null;
    const { value: secret } = await this.transactions.read((tx) =>
      tx.findOneByOrFail(DatabaseSecret, { name: 'check-codes' }),
    );
    return { metres, secret };
  }

  /** After an import of the postcode register. At the start, the positions have been read already. */
  private async loadNetwork(): Promise<void> {
    const stored = await this.register.storedPositions();
    const { active } = this;
    if (!active || this.builtFrom.get(active) === (stored && digestOf(stored))) return;
    await this.withNetwork(active);
  }

  /** Also a lower number, after a failover that lost a publication. Loads run one at a time, so none is out of date. */
  private take(catalogue: Catalogue): void {
    this.active = catalogue;
    this.logger.log(`Catalogue version ${catalogue.version} is live.`);
  }

  /** After a failover that lost the first publication: checks would cite a version that the database does not have. */
  private unload(): void {
    this.logger.warn(
      `The database has lost catalogue version ${this.active!.version}, and has no live version. Publish one.`,
    );
    this.active = undefined;
  }

  private async load(): Promise<void> {
    const row = await this.transactions.read((tx) =>
      tx.findOneBy(CatalogueVersion, { state: 'active' }),
    );
    try {
      const { version, contentHash } = this.active ?? {};
      if (!row && this.active) this.unload();
      if (row && (row.number !== version || row.contentHash !== contentHash)) {
        this.problem ??= `Version ${row.number} is active but not loaded yet.`;
        this.take(await this.withNetwork(await this.catalogueOf(row)));
      }
      this.problem = null;
    } catch (error) {
      // Readiness reports publish this text, so it has no details of other errors.
      this.problem =
        error instanceof ContentDamaged
          ? error.message
          : 'The newest catalogue cannot be loaded; the log says why.';
      throw error;
    }
  }

  private async catalogueOf(row: CatalogueVersion): Promise<Catalogue> {
    return new Catalogue(row.number, await this.decodedOf(row), row.contentHash);
  }

  private decodedOf({ number, contentHash }: CatalogueVersion): Promise<CatalogueContent> {
    let content = this.contents.get(contentHash);
    if (!content) {
      content = this.decodedContent(contentHash).catch((error: unknown) => {
        throw error instanceof ContentDamaged ? new ContentDamaged(error.what, number) : error;
      });
      content.catch(() => this.contents.delete(contentHash));
    }
    // The map keeps the most recently used last; the first is dropped.
    this.contents.delete(contentHash);
    this.contents.set(contentHash, content);
    const oldest = this.contents.size > MOST_OLDER ? this.contents.keys().next().value : undefined;
    if (oldest !== undefined) this.contents.delete(oldest);
    return content;
  }

  private async decodedContent(hash: string): Promise<CatalogueContent> {
    const stored = await this.contentOf(hash);
    const content = await decodeContent(stored);
    if (this.decoded !== stored) this.keepStored(stored);
    return content;
  }

  private async contentOf(hash: string): Promise<StoredContent> {
    if (this.decoded?.hash === hash) return this.decoded;
    const content = await this.transactions.read((tx) =>
      tx.findOneBy(CatalogueContentRow, { hash }),
    );
    if (content) return content;
    throw new ContentDamaged('it is not there');
  }
}

/** Packed numbers that are unpacked where they may have the one that is looked for. */
class PackedNumbers {
  private readonly first: number;
  private readonly last: number;

  constructor(private readonly packed: string) {
    const numbers = unpackNumbers(packed);
    this.first = numbers[0] ?? Infinity;
    this.last = numbers.at(-1) ?? -Infinity;
  }

  has(number: number): boolean {
    return (
      number >= this.first && number <= this.last && unpackNumbers(this.packed).includes(number)
    );
  }
}

/** See `encodePositions`. */
function digestOf(positions: Uint8Array): string {
  return Buffer.from(positions.subarray(0, 32)).toString('hex');
}
