import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { CatalogueService } from './catalogue.service.js';
import { VersionsService } from './versions.service.js';

/** Milliseconds between two looks at the clock. */
const INTERVAL = 200;

/**
 * When the instant of a scheduled version has come, takes it into service here and writes that down.
 * Serving it does not wait for this: `CatalogueService.current` looks at the clock by itself.
 */
@Injectable()
export class ActivationService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ActivationService.name);
  private timer: NodeJS.Timeout | undefined;
  private recording: Promise<void> | undefined;

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly versions: VersionsService,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.look(), INTERVAL).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.recording;
  }

  private look(): void {
    if (this.recording || !this.catalogue.hasUnrecorded) return;
    this.recording = this.record().finally(() => (this.recording = undefined));
  }

  private async record(): Promise<void> {
    this.catalogue.markRecorded();
    try {
      await this.versions.promoteDue();
    } catch (error) {
      this.catalogue.markRecorded(false);
      this.logger.warn(`An activation could not be written down yet: ${String(error)}`);
    }
  }
}
