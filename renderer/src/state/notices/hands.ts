import { useEffect, useRef } from 'react';
import type { CourseSummary } from '../../../../server/contract/courses/courses.ts';
import { text } from '../../text/text.ts';
import { useBench } from '../client/context.tsx';
import { currentRoute } from '../page/router.ts';
import { retractToast } from '../page/toasts.ts';
import { notify } from './notify.ts';

/** Whether the person sees the wall of this course, which has its raised hands. */
function isOpenWall(course: string): boolean {
  const route = currentRoute();
  return route.kind === 'courses' && route.course === course && (route.tab ?? 'wall') === 'wall';
}

/** Tells the teachers of a course of each raised hand, on every page. @param courses of the caller */
export function useHandNotices(courses: readonly CourseSummary[]): void {
  const client = useBench();
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const keys = new Set<string>();
    for (const { course_id: course, name, role, raised } of courses) {
      if (role !== 'teacher') continue;
      for (const hand of raised) {
        const key = `hand ${course} ${hand.username} ${hand.at}`;
        keys.add(key);
        const words = text.notices.hand(hand.name, name, hand.message);
        const notice = { key, tone: 'warn', text: words, about: { kind: 'course', course } } as const;
        notify(client, notice, { toast: isOpenWall(course) ? 'never' : 'new' });
      }
    }
    for (const key of known.current) if (!keys.has(key)) retractToast(client.toasts, key);
    known.current = keys;
  }, [client, courses]);
}
