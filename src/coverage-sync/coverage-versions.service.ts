import { SANDBOX } from '../platform/database/sides.js';
import { createHash, createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import { LEVELS } from '../catalogue/content/coverage-codec.js';
import {
  sandboxCatalogue,
  sandboxCatalogueAtOrder,
} from '../catalogue/sandbox/sandbox-catalogue.js';
import { ShownService } from '../catalogue/shown/shown.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { VersionsService } from '../catalogue/versions/versions.service.js';
import type { BuildNetwork } from '../near-net/network.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { DatabaseSecret } from '../platform/database/database-secret.entity.js';
import { Transactions } from '../platform/database/transactions.js';
import { groupsOf, inTurns, shareSuccess } from '../platform/kernel/turns.js';
import { Problem } from '../platform/problems/problem.js';
import { CoverageNotice } from './coverage-notice.entity.js';
import type { CoverageSource } from './coverage-rows.js';

/** Changes with the rows, so that clients take everything again after an upgrade. */
const FORMAT = '1';
const TAG_LENGTH = 16;
const SLICE_BYTES = 1_048_576;
const ROWS_IN_TURN = 1_000;

/** The two states of the sandbox: `advance` changes from one to the other. */
const sandbox = [sandboxCatalogue, sandboxCatalogueAtOrder] as const;

/** What a client can have: its content, its price list, and what its prices by distance come from. */
export interface CoverageVersion extends CoverageSource {
  /** Two tags of contents and of the network, joined by a dot; the second only for who sees prices by distance. */
  readonly version: string;
}

type CoverageClient = Pick<ClientCaller, 'kind' | 'clientId' | 'priceList' | 'nearNet' | 'isTest'>;

export class VersionGone extends Problem {
  constructor() {
    super('version-gone');
  }
}

/** What the coverage of each client is, and was. */
@Injectable()
export class CoverageVersionsService {
  private readonly networkTags = new WeakMap<BuildNetwork, Promise<string>>();
  private readonly secret = shareSuccess(() =>
    this.transactions
      .read((tx) => tx.findOneByOrFail(DatabaseSecret, { name: 'check-codes' }))
      .then(({ value }) => value),
  );

  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly versions: VersionsService,
    private readonly shown: ShownService,
  ) {}

  /** What the client has after a whole download now. @throws {Unavailable} if no catalogue is loaded */
  async current(client: CoverageClient): Promise<CoverageVersion> {
    if (!client.isTest) return this.versionOf(this.catalogue.current, client);
    const notice = await this.sandboxNotice(client);
    return this.inSandbox(notice?.catalogueVersion === 1 ? 1 : 0, client);
  }

  /**
   * An earlier version of the same client.
   * @throws {VersionGone} where its content is gone, or its price list or the network is another one
   */
  async earlier(
    version: string,
    now: CoverageVersion,
    client: CoverageClient,
  ): Promise<CoverageVersion> {
    if (networkOf(version) !== networkOf(now.version)) throw new VersionGone();
    const [tag] = version.split('.');
    const isIt = (hash: string) => tagOf(hash, client) === tag;
    const catalogue = client.isTest
      ? sandbox.find((one) => isIt(hashOfSandbox(one)))
      : await this.stored(isIt);
    if (!catalogue) throw new VersionGone();
    return { ...now, catalogue, version };
  }

  /** Says which of its two states the sandbox of the client has; null is the first. */
  sandboxNotice({ clientId }: CoverageClient): Promise<CoverageNotice | null> {
    return this.transactions.read((tx) => tx.findOneBy(CoverageNotice, { clientId, ...SANDBOX }));
  }

  inSandbox(state: 0 | 1, client: CoverageClient): Promise<CoverageVersion> {
    return this.versionOf(sandbox[state], client);
  }

  private async versionOf(catalogue: Catalogue, client: CoverageClient): Promise<CoverageVersion> {
    const { network, contentHash } = catalogue;
    const nearNet = network !== null && this.shown.shownIn(catalogue, client).seesNear(catalogue);
    const hash = contentHash || hashOfSandbox(catalogue);
    const version = tagOf(hash, client) + (nearNet ? `.${await this.tagOfNetwork(catalogue)}` : '');
    const { priceList } = client;
    return { version, catalogue, priceList, nearNet, areaOf: await this.areaNames() };
  }

  private async stored(isIt: (hash: string) => boolean): Promise<Catalogue | undefined> {
    const found = (await this.versions.list()).find(({ contentHash }) => isIt(contentHash));
    return found && this.catalogue.version(found.number);
  }

  /** One name for each zone and band, by this database's key: the names of zones are the operator's own. */
  private async areaNames(): Promise<CoverageSource['areaOf']> {
    const secret = await this.secret();
    return (zone, band = 0) =>
      createHmac('sha256', secret)
        .update(`area ${band} ${zone}`)
        .digest('hex')
        .slice(0, TAG_LENGTH);
  }

  /** Of all that says which band a place has. */
  private tagOfNetwork(catalogue: Catalogue): Promise<string> {
    const network = catalogue.network!;
    const known = this.networkTags.get(network);
    if (known) return known;
    const tag = hashInTurns(partsOfNetwork(catalogue, network));
    this.networkTags.set(network, tag);
    return tag;
  }
}

function networkOf(version: string): string | undefined {
  return version.split('.')[1];
}

function tagOf(contentHash: string, { priceList }: CoverageClient): string {
  return printTag(
    createHash('sha256').update([FORMAT, contentHash, priceList].join('\n')).digest(),
  );
}

function printTag(digest: Buffer): string {
  return digest.toString('base64url').slice(0, TAG_LENGTH);
}

function hashOfSandbox(catalogue: Catalogue): string {
  return `sandbox ${sandbox.indexOf(catalogue)}`;
}

async function hashInTurns(parts: Iterable<string | Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of inTurns(parts)) hash.update(part);
  return printTag(hash.digest());
}

function* partsOfNetwork({ content }: Catalogue, { positions, factor, movedBy }: BuildNetwork) {
  const { zones: names, levels } = content.coverage.coverage;
  yield `${factor} ${movedBy}`;
  // Places priced by distance have no constraints of a zone.
  const zones = content.zones.map(({ constraints: _constraints, ...row }) => row);
  for (const rows of [names, zones, content.buildBands, content.networkPoints]) {
    for (const group of groupsOf<unknown>(rows, ROWS_IN_TURN)) yield JSON.stringify(group);
  }
  const columns = LEVELS.flatMap((level) => [levels[level].keys, levels[level].zoneNumbers]);
  const { keys, eastings, northings } = positions;
  const { arePlaced } = content.premises;
  const premises = arePlaced ? content.premises.packed() : null;
  const placed = premises
    ? [premises.rows, premises.names, premises.positions, premises.constraints]
    : [];
  const all = [...columns, keys, eastings, northings, ...placed];
  for (const { buffer, byteOffset, byteLength } of all) {
    for (let at = 0; at < byteLength; at += SLICE_BYTES) {
      yield new Uint8Array(buffer, byteOffset + at, Math.min(SLICE_BYTES, byteLength - at));
    }
  }
}
