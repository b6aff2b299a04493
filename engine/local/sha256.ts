import { hash } from 'node:crypto';
import type { Digest } from '../../tables/model/canonical.ts';

/** In one call, without a hash object for each text: every row of a fixture is digested three times. */
export const sha256: Digest = (text) => hash('sha256', text, 'hex');
