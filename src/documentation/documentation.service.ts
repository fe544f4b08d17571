import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { AnsweringThread } from '../platform/kernel/answering-thread.js';
import { documentedSettings } from './documentation-pages.js';
import type { DocumentationRequest, DocumentationResponse } from './documentation.worker.js';
import { LONGEST_QUERY } from './search.js';
import { REVALIDATE, StaticPage } from '../platform/openapi/static-page.js';

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
    const content = await this.thread.ask({ address });
    if (!content) return undefined;
    const page = new StaticPage({ cache: REVALIDATE, ...content });
    this.pages.set(address, page);
    return page;
  }

  /** The page of search results. */
  async search(query: string): Promise<StaticPage> {
    const text = query.slice(0, LONGEST_QUERY).trim();
    return new StaticPage((await this.thread.ask({ query: text }))!);
  }
}
