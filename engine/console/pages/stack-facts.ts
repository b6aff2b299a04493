import { signal } from '@preact/signals';
import type { StackAnswer } from '../wire-types.ts';

/** The stack that this console is of; asked for once. */
export const stackFacts = signal<StackAnswer | undefined>(undefined);
