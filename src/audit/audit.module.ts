import { Global, Module } from '@nestjs/common';
import { AuditService } from './audit.service.js';

/** WHO DID WHAT: the audit trail; an order's timeline is its entries. */
@Global()
@Module({ providers: [AuditService], exports: [AuditService] })
export class AuditModule {}
