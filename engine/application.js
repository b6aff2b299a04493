// The package's entry for programs that run without a TypeScript loader of their own.
import { register } from 'tsx/esm/api';

register();
export const { entities, openReader, openWriter, operations, TablewrightError } = await import('./application.ts');
