import { Global, Module } from '@nestjs/common';
import { AuditNamesService } from './audit-names.service.js';
import { AuditService } from './audit.service.js';

const services = [AuditNamesService, AuditService];

/** WHO DID WHAT: the audit trail; an order's timeline is its entries. */
@Global()
@Module({ providers: services, exports: services })
export class AuditModule {}
