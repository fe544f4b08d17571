import { Module } from '@nestjs/common';
import { SandboxService } from './sandbox.service.js';

/** WHAT IF? The cases that integrators try out, and their small catalogue. */
@Module({ providers: [SandboxService], exports: [SandboxService] })
export class SandboxModule {}
