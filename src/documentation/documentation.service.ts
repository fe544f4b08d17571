import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { AnsweringThread } from '../platform/kernel/answering-thread.js';
import { documentedSettings } from './documentation-pages.js';
import type {
  DocumentationRequest,
  DocumentationResponse,
  HelpRequest,
} from './documentation.worker.js';
import type { HelpText } from './help-texts.js';
import type { Audience } from './layout.js';
import { LONGEST_QUERY } from './search.js';
import { REVALIDATE, type StaticContent, StaticPage } from '../platform/openapi/static-page.js';
import { Unavailable } from '../platform/problems/problem.js';

/**
 * The pages of the documentation. A thread makes each when it is first requested, and searches: a page takes
 * up to 80 ms and the index a second, in which the main thread answers other requests.
 */
@Injectable()
export class DocumentationService implements OnModuleDestroy {
  private readonly thread: AnsweringThread<DocumentationRequest, DocumentationResponse>;
  /** By address. */
  private readonly pages = new Map<string, StaticPage>();

  constructor(config: Config) {
    const script = new URL('./documentation.worker.js', import.meta.url);
    this.thread = new AnsweringThread(script, {
      workerData: documentedSettings(config),
      // By default the thread would keep 30 MB more.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
  }

  onModuleDestroy(): Promise<void> {
    return this.thread.end();
  }

  /** The page at the address; undefined where there is none. */
  async find(address: string): Promise<StaticPage | undefined> {
    const known = this.pages.get(address);
    if (known) return known;
    const content = (await this.thread.ask({ address })) as StaticContent | undefined;
    if (!content) return undefined;
    const page = new StaticPage({ cache: REVALIDATE, ...content });
    this.pages.set(address, page);
    return page;
  }

  /** The help for a role; undefined where it has no such topic. */
  async help(asked: HelpRequest): Promise<HelpText | undefined> {
    return (await this.thread.ask({ help: asked })) as HelpText | undefined;
  }

  async search(query: string, audience: Audience): Promise<StaticPage> {
    return new StaticPage((await this.thread.ask({ query, audience })) as StaticContent);
  }
}

/** Searches that run or wait. */
const MOST_SEARCHES = 10;
/** Pages of results that are kept. */
const MOST_KEPT = 200;

/** Bounds the searches, of which the thread runs one at a time, and keeps their results. */
@Injectable()
export class SearchesService {
  private running = 0;
  /** By audience and query; what was used last is at the end. */
  private readonly kept = new Map<string, Promise<StaticPage>>();

  constructor(private readonly documentation: DocumentationService) {}

  /**
   * The page of search results.
   * @throws {Unavailable} where too many searches wait
   */
  async find(query: string, audience: Audience): Promise<StaticPage> {
    const text = query.slice(0, LONGEST_QUERY).replaceAll(/\s+/g, ' ').trim();
    const key = `${audience} ${text}`;
    const page = this.kept.get(key) ?? this.search(text, audience);
    this.kept.delete(key);
    this.kept.set(key, page);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
    try {
      return await page;
    } catch (error) {
      if (this.kept.get(key) === page) this.kept.delete(key);
      throw error;
    }
  }

  private async search(text: string, audience: Audience): Promise<StaticPage> {
    if (this.running >= MOST_SEARCHES) {
      throw new Unavailable('Too many searches are waiting at the moment.', undefined, 1);
    }
    this.running += 1;
    try {
      return await this.documentation.search(text, audience);
    } finally {
      this.running -= 1;
    }
  }
}
