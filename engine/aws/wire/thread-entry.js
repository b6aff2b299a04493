// A thread does not take its loader from the process: it has to bring TypeScript itself.
import { register } from 'tsx/esm/api';

register();
await import('./sender-thread.ts');
