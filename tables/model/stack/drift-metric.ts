import type { StackName } from './aws-place.ts';

/** What a scheduled `doctor` counts, and under which name: it sends it, the stack's alarm reads it. By the dimension `Stack`. */
export const metricNamespace = ({ project }: Pick<StackName, 'project'>): string => project;
export const driftMetric = 'Differences';
