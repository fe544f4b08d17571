import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';

/** The door for agents; only where `MCP` is on. */
@Module({ controllers: [McpController], providers: [McpService] })
export class McpModule {}
