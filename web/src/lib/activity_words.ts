// The names and icons of the kinds of activity.
import type { ActivityType } from './activity.ts';
import type { IconName } from './icons.ts';

export const iconOfType: Readonly<Record<ActivityType, IconName>> = {
  message: 'chat',
  heartbeat: 'pulse',
  scheduled: 'clock',
  background: 'layers',
  system: 'moon',
};

export const nameOfType: Readonly<Record<ActivityType, string>> = {
  message: 'Message',
  heartbeat: 'Heartbeat',
  scheduled: 'Scheduled',
  background: 'Background',
  system: 'System',
};
