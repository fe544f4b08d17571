import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Page, Public, type StaffRole } from '../access/scopes.js';
import { NavigationCountsInterceptor } from './navigation-counts.interceptor.js';

/** A controller of pages for staff with at least this role, or for everyone. */
export function StaffPages(path: string, least: StaffRole | 'public'): ClassDecorator {
  const rule = (least === 'public' ? Public() : Page(least)) as MethodDecorator;
  return (controller) => {
    applyDecorators(
      Controller(path),
      ApiExcludeController(),
      UseInterceptors(NavigationCountsInterceptor),
    )(controller);
    const prototype = controller.prototype as object;
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name !== 'constructor') rule(prototype, name, property);
    }
  };
}
