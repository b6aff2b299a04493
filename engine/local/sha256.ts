import { createHash } from 'node:crypto';
import type { Digest } from '../../tables/model/canonical.ts';

export const sha256: Digest = (text) => createHash('sha256').update(text).digest('hex');
