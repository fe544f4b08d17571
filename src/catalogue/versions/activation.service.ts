import { Injectable } from '@nestjs/common';
import { CatalogueService } from './catalogue.service.js';
import { VersionsService } from './versions.service.js';

/**
 * Takes a scheduled version into service here when its time has come, and records that. Serving it
 * does not wait for this: `CatalogueService.current` looks at the clock itself.
 */
@Injectable()
export class ActivationService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly versions: VersionsService,
  ) {}

  async recordDue(): Promise<void> {
    if (!this.catalogue.hasUnrecorded) return;
    this.catalogue.markRecorded();
    try {
      await this.versions.promoteDue();
    } catch (error) {
      this.catalogue.markRecorded(false);
      throw error;
    }
  }
}
