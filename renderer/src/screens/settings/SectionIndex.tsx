import { text } from '../../text/text.ts';

/** The id of a section's heading. */
export const sectionId = (title: string): string => `settings-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;

/** Scrolls to a section and moves the focus to its heading: the next Tab is its first setting. */
function goToSection(title: string): void {
  const heading = document.getElementById(sectionId(title));
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
}

/** The sections of the screen, to go to one. */
export function SectionIndex({ titles }: { titles: readonly string[] }) {
  return (
    <nav className="settings-index" aria-label={text.settings.index}>
      <ul>
        {titles.map((title) => (
          <li key={title}>
            <button type="button" onClick={() => goToSection(title)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
