export { sleep } from '../run/capacity/clock.ts';
