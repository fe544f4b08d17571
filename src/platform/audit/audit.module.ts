import { Global, Module } from '@nestjs/common';
import { AuditExportService, RecordedExportService } from './recorded-export.service.js';
import { AuditNamesService } from './audit-names.service.js';
import { AuditService } from './audit.service.js';

const services = [AuditExportService, AuditNamesService, AuditService, RecordedExportService];

/** WHO DID WHAT: the audit trail; an order's timeline is its entries. */
@Global()
@Module({ providers: services, exports: services })
export class AuditModule {}
