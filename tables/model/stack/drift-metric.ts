import { projectName } from './stack-config.ts';

/** What a scheduled `doctor` counts, and under which name: it sends it, the stack's alarm reads it. By the dimension `Stack`. */
export const metricNamespace = projectName;
export const driftMetric = 'Differences';
