import { Global, Module } from '@nestjs/common';
import { AuditService } from './audit.service.js';

/** WHO DID WHAT: one append-only list; an order's timeline is its entries. */
@Global()
@Module({ providers: [AuditService], exports: [AuditService] })
export class AuditModule {}
